/* score.c: the text is evaluated as train does it, piece by piece; the pieces of a line that is
 * longer than the context are added up. With --each the rows of a line are collected; tokens that
 * make up a word are joined; then they are printed. On a terminal with colours, the line stands
 * above its rows with each word shaded. */
#include "score.h"

#include <stb/stb_ds.h>

#include "base/numbers/elementary.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "programs/pictures/colours.h"
#include "text/corpus/batches.h"
#include "text/corpus/counts.h"
#include "text/subwords/bpe.h"

/* ---- Suffixes ---- */

/* At the end of the text a place has fewer tokens than others; it comes before those that go on. */

/* By the tokens, and of places that have the same ones by where they are. */
static int compare_places(const void *a, const void *b, void *context)
{
    const Suffixes *s = context;
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const size_t later = one > other ? one : other;
    for (size_t i = 0; i < (size_t)s->longest && later + i < s->ids->count; i++) {
        const int x = ids_at(s->ids, one + i), y = ids_at(s->ids, other + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return one == other ? 0 : one == later ? -1 : 1; /* the later one has fewer tokens */
}

Suffixes suffixes_new(const Corpus *corpus, int longest)
{
    Suffixes s = {.ids = &corpus->ids, .longest = longest};
    s.places = memory_new(corpus->ids.count, sizeof *s.places, "the places of the text");
    for (size_t i = 0; i < corpus->ids.count; i++)
        s.places[i] = i;
    sort_within(s.places, corpus->ids.count, sizeof *s.places, compare_places, &s);
    return s;
}

void suffixes_free(Suffixes *s)
{
    free(s->places);
}

/* Whether a place comes before all places with these tokens: below 0; after them: above 0; or has
 * them: 0. */
static int compare_tokens(const Suffixes *s, size_t place, const int *tokens, int count)
{
    for (size_t i = 0; i < (size_t)count; i++) {
        const int id = place + i < s->ids->count ? ids_at(s->ids, place + i) : -1;
        if (id != tokens[i])
            return id < tokens[i] ? -1 : 1;
    }
    return 0;
}

/* How many places come before those with these tokens or, if `with`, before or among them. */
static size_t places_before(const Suffixes *s, const int *tokens, int count, bool with)
{
    size_t from = 0, end = s->ids->count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (compare_tokens(s, s->places[middle], tokens, count) < with)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

size_t suffixes_count(const Suffixes *s, const int *tokens, int count)
{
    return places_before(s, tokens, count, true) - places_before(s, tokens, count, false);
}

/* A shorter end goes on wherever a longer one does, so a binary search finds the longest. If the
 * text ends with one, nothing follows there. */
int suffixes_longest(const Suffixes *s, const int *tokens, int count, size_t *times)
{
    int longest = 0, most = count;
    *times = s->ids->count;
    while (longest < most) {
        const int length = most - (most - longest) / 2;
        const int *end = tokens + count - length;
        size_t found = suffixes_count(s, end, length);
        if (found && !compare_tokens(s, s->ids->count - (size_t)length, end, length))
            found--;
        if (found) {
            longest = length;
            *times = found;
        } else
            most = length - 1;
    }
    return longest;
}

/* ---- What a text is scored with ---- */

/* Who predicts: the model, with counting if there is a mixture; and then each of the two alone. */
enum { TOGETHER, MODEL, COUNTING, WAYS };

/* A token that was predicted, for --each. */
typedef struct {
    size_t at;                   /* its place in the corpus */
    Piece piece;                 /* what the model read */
    Prediction prediction[WAYS]; /* only the first if there is no mixture */
} Predicted;

typedef struct {
    Pretrained *model;
    const Tokenizer *tokenizer; /* the model's */
    CountMixture *counts;       /* or NULL */
    const Choice *choice;
    Corpus corpus;
    BatchRoom room;

    /* Only with --each: */
    Prediction *predictions[WAYS]; /* (rows of a batch) of its tokens that count */
    Predicted *line;               /* stb_ds array */
    Shades shades;
    double most; /* bits of the deepest shade: the surprise of a token drawn at random */
    TrainingText text;
    Suffixes suffixes; /* of that; not if tokens are hidden */
    size_t *times;     /* (V) of tokens in a gap, if they are */
    int *read;         /* (T + 1) what the model has read before a token, and that token */
} Scoring;

/* How many ways there are. */
static int ways_of(const Scoring *s)
{
    return s->counts ? WAYS : MODEL;
}

static bool hides(const Scoring *s)
{
    return s->corpus.objective.kind == OBJECTIVE_MASKED;
}

/* Whether a table is printed for people: neither CSV nor JSON. */
static bool in_table(const Scoring *s)
{
    return !s->choice->csv && !s->choice->json;
}

/* The tokens [at, end) as the text has them, with the white space before the first unless that is
 * at `from`: the text itself has been freed. The caller frees. */
static char *text_of(const Scoring *s, size_t from, size_t at, size_t end)
{
    AUTOFREE int *ids = memory_take((end - from) * sizeof *ids);
    ids_read(&s->corpus.ids, from, end - from, ids);
    return tokenizer_decode_from(s->tokenizer, ids, (int)(at - from), (int)(end - from));
}

/* ---- Words ---- */

static int id_at(const Scoring *s, size_t at)
{
    return ids_at(&s->corpus.ids, at);
}

/* The bytes of the tokens [from, end) as they are in the vocabulary; the caller frees. */
static char *bytes_of(const Scoring *s, size_t from, size_t end)
{
    char *bytes = format_text("%s", "");
    for (size_t at = from; at < end; at++)
        extend_text(&bytes, "%s", tokenizer_word(s->tokenizer, id_at(s, at)));
    return bytes;
}

/* Where the tokens end that are printed as one: one token, or a word as bpe.h cuts what the model
 * has read as one piece. A special token is a word. */
static ptrdiff_t end_of_row(const Scoring *s, ptrdiff_t row)
{
    const Predicted *first = &s->line[row];
    size_t end = first->at;
    if (s->choice->each == EACH_TOKEN || tokenizer_has_words(s->tokenizer))
        return row + 1;
    for (ptrdiff_t i = row; i < arrlen(s->line) && s->line[i].piece.from == first->piece.from;
         i++, end++)
        if (!tokenizer_is_part(s->tokenizer, id_at(s, end)))
            break;
    AUTOFREE char *bytes = bytes_of(s, first->at, end);
    const char *at = bytes;
    Span word = {bytes, bytes};
    pattern_word(&at, bytes + strlen(bytes), s->tokenizer->pattern, &word);
    ptrdiff_t after = row;
    for (size_t size = 0; size < (size_t)(word.end - bytes); after++)
        size += strlen(tokenizer_word(s->tokenizer, id_at(s, s->line[after].at)));
    return after > row ? after : row + 1;
}

/* The losses of the rows [row, end) together. */
static double loss_of(const Scoring *s, ptrdiff_t row, ptrdiff_t end, int way)
{
    double loss = 0;
    for (; row < end; row++)
        loss += s->line[row].prediction[way].loss;
    return loss;
}

/* ---- Rows ---- */

/* What a model makes of a token or a word. A word that several tokens make up has the product of
 * their probabilities, so the sum of their surprise; rank, entropy and best are those of its first
 * token. The columns:
 *
 *     line              of the text, as --score counts them
 *     position          of the token in its line, from 1; of a line, [bos] is at 1
 *     token             or word: without the space before it
 *     probability       p
 *     surprise          −log2 p, in bits; the mean of all, times ln 2, is the loss
 *     rank              of the token among all: 1 is the most probable one
 *     entropy           of the prediction, in bits: −Σ p log2 p over all tokens
 *     best              the most probable token
 *     best_probability  and its probability
 *     count, of         how often the training text goes on so: "count" of "of" times, after the
 *                       longest end of what the model has read after which the text goes on at all;
 *                       of a hidden token, between all others of its line. Unknown if the text is
 *                       not at hand, and of a hidden token if the text does not have the others, or
 *                       if it is only a part of a word.
 *     model, counting   the probability by each of the two alone, if the run was trained with
 *                       --counts; then all columns above are of both together */
typedef struct {
    size_t line, position;
    const char *text; /* its bytes */
    double probability[WAYS], surprise;
    int rank;
    double entropy;
    const char *best; /* likewise */
    double best_p;
    size_t count, of; /* of is 0 if it is unknown */
} Row;

/* A hidden token stands between others. */
static void count_hidden(Scoring *s, Row *row, const Predicted *one)
{
    const int V = tokenizer_size(s->tokenizer), mask = s->tokenizer->mask;
    ids_read(&s->corpus.ids, one->piece.from, one->piece.length, s->read);
    s->read[one->at - one->piece.from] = mask;
    row->of = counts_gaps(&s->text.corpus, s->times, V, s->read, (int)one->piece.length, mask);
    row->count = s->times[one->prediction->target];
}

static void count_next(Scoring *s, Row *row, const Predicted *first, int tokens)
{
    const int read = (int)(first->at - first->piece.from);
    ids_read(&s->corpus.ids, first->piece.from, (size_t)read + (size_t)tokens, s->read);
    const int matched = suffixes_longest(&s->suffixes, s->read, read, &row->of);
    row->count = suffixes_count(&s->suffixes, s->read + read - matched, matched + tokens);
}

/* CSV and the table show tokens by base/utf8.h; JSON's strings hold any text. */
enum { NAME = 13 }; /* columns of a token in the table */

static const char *column(const Scoring *s)
{
    return s->choice->each == EACH_WORD ? "word" : "token";
}

static void put_head(const Scoring *s)
{
    if (s->choice->csv)
        printf("line,position,%s,probability,surprise,rank,entropy,best,best_probability,count,of,"
               "model,counting\n",
               column(s));
    if (!in_table(s))
        return;
    put_fitted(
        stdout,
        translated(s->choice->each == EACH_WORD ? N_("word") : tokenizer_unit(s->tokenizer->kind)),
        NAME, false);
    /* translators: the head of a table; keep the widths */
    printf("%s%s%s\n", _("      p     bits   rank  entropy  most probable      p"),
           s->counts ? _("   model  counting") : "", s->text.there ? _("  in the text") : "");
}

/* el             0.667    0.585      1    0.918  el             0.667  6 of 9
 *
 * The probabilities by the model and by counting alone, if there are any, come before "6 of 9". */
static void put_in_table(const Scoring *s, const Row *row, const char *text, const char *best)
{
    put_fitted(stdout, text, NAME, false);
    printf("  %5.3f  %7.3f  %5d  %7.3f  ", row->probability[TOGETHER], row->surprise, row->rank,
           row->entropy);
    put_fitted(stdout, best, NAME, false);
    printf("  %5.3f", row->best_p);
    if (s->counts)
        printf("  %6.3f  %8.3f", row->probability[MODEL], row->probability[COUNTING]);
    if (row->of)
        printf(_("  %zu of %zu"), row->count, row->of);
    putchar('\n');
}

/* 1,2,"el",0.667,0.585,1,0.918,"el",0.667,6,9,,
 *
 * 15 digits of the surprise: so the rows add up to the loss. */
static void put_as_csv(const Scoring *s, const Row *row, const char *text, const char *best)
{
    printf("%zu,%zu,", row->line, row->position);
    put_csv(stdout, text);
    printf(",%.9g,%.15g,%d,%.9g,", row->probability[TOGETHER], row->surprise, row->rank,
           row->entropy);
    put_csv(stdout, best);
    printf(row->of ? ",%.9g,%zu,%zu" : ",%.9g,,", row->best_p, row->count, row->of);
    printf(s->counts ? ",%.9g,%.9g\n" : ",,\n", row->probability[MODEL],
           row->probability[COUNTING]);
}

/* {"line":1,"position":2,"token":"el","probability":0.667, ... ,"model":null,"counting":null} */
static void put_as_json(const Scoring *s, const Row *row)
{
    printf("{\"line\":%zu,\"position\":%zu,\"%s\":", row->line, row->position, column(s));
    put_json(stdout, row->text);
    printf(",\"probability\":%.9g,\"surprise\":%.15g,\"rank\":%d,\"entropy\":%.9g,\"best\":",
           row->probability[TOGETHER], row->surprise, row->rank, row->entropy);
    put_json(stdout, row->best);
    printf(row->of ? ",\"best_probability\":%.9g,\"count\":%zu,\"of\":%zu"
                   : ",\"best_probability\":%.9g,\"count\":null,\"of\":null",
           row->best_p, row->count, row->of);
    printf(s->counts ? ",\"model\":%.9g,\"counting\":%.9g}\n"
                     : ",\"model\":null,\"counting\":null}\n",
           row->probability[MODEL], row->probability[COUNTING]);
}

/* A word is printed without the space before it. */
static const char *named(const Scoring *s, const char *text)
{
    return text + (s->choice->each == EACH_WORD && text[0] == ' ' && text[1]);
}

/* Prints the rows [i, end) of a line, whose first token is at `from`, as one. */
static void put_row(Scoring *s, size_t number, size_t from, ptrdiff_t i, ptrdiff_t end)
{
    const Predicted *first = &s->line[i];
    const Prediction *p = first->prediction;
    AUTOFREE char *bytes = bytes_of(s, first->at, first->at + (size_t)(end - i));
    Row row = {.line = number,
               .position = first->at - from + 1,
               .text = named(s, bytes),
               .surprise = loss_of(s, i, end, TOGETHER) / M_LN2,
               .rank = p->rank,
               .entropy = p->entropy / M_LN2,
               .best = named(s, tokenizer_word(s->tokenizer, p->best)),
               .best_p = p->best_p};
    for (int way = TOGETHER; way < WAYS; way++)
        row.probability[way] = elementary_exp(-loss_of(s, i, end, way));
    if (s->text.there && !hides(s))
        count_next(s, &row, first, (int)(end - i));
    else if (s->text.there && end == i + 1)
        count_hidden(s, &row, first);
    AUTOFREE char *text = display_token(row.text), *best = display_token(row.best);
    if (s->choice->json)
        put_as_json(s, &row);
    else if (s->choice->csv)
        put_as_csv(s, &row, text, best);
    else
        put_in_table(s, &row, text, best);
}

/* ---- Shaded lines ---- */

/* A part of a line, shaded by its surprise, but not the spaces and line ends before it; below 0:
 * not shaded. */
static void put_shaded(const Scoring *s, const char *text, double surprise)
{
    const bool shaded = s->shades.palette && surprise >= 0;
    AUTOFREE char *shown = display_part(text);
    const int blanks = shown[0] && shown[1] ? (int)strspn(shown, " \n") : 0;
    printf("%.*s", blanks, shown);
    if (shaded)
        shade_begin(s->shades, surprise / s->most);
    fputs(shown + blanks, stdout);
    if (shaded)
        shade_end();
}

/* The line with the tokens [from, end). What is not predicted, such as a source, has no shade;
 * [eos], which is no text, stands as its name. Tokens that make up a character have one shade. */
static void put_shaded_line(const Scoring *s, size_t number, size_t from, size_t end)
{
    ptrdiff_t row = 0;
    printf("\n%3zu  ", number);
    for (size_t at = from, after; at < end; at = after) {
        const ptrdiff_t first = row, rows = arrlen(s->line);
        if (row < rows && s->line[row].at == at)
            row = end_of_row(s, row);
        after = at + (row > first ? (size_t)(row - first) : 1);
        /* as long as a token begins with the middle of a UTF-8 character */
        for (; after < end && (tokenizer_word(s->tokenizer, id_at(s, after))[0] & 0xC0) == 0x80;
             after++)
            row += row < rows && s->line[row].at == after;
        AUTOFREE char *text = text_of(s, from, at, after);
        if (row > first && !*text)
            extend_text(&text, " %s", tokenizer_word(s->tokenizer, id_at(s, at)));
        put_shaded(s, text, row > first ? loss_of(s, first, row, TOGETHER) / M_LN2 : -1);
    }
    putchar('\n');
}

/* What the shades mean. */
static void put_shades(const Scoring *s)
{
    enum { STEPS = 4 };
    printf(_("\nsurprise in bits: "));
    for (int i = 0; i <= STEPS; i++) {
        shade_begin(s->shades, (double)i / STEPS);
        printf(" %.1f ", s->most * i / STEPS);
        shade_end();
    }
    putchar('\n');
}

/* ---- Losses ---- */

/* translators: the head of a table; keep the widths */
static const char HEAD[] = N_("     loss  perplexity   tokens  text\n");

/* The score of a part of the text. The loss is sum / targets, the perplexity e to that. */
typedef struct {
    double sum[WAYS]; /* of −ln p; 0 if there is no mixture */
    size_t targets;   /* that count */
} Loss;

/* A number of JSON, or null if it is not finite. */
static void put_json_number(const char *name, double number)
{
    if (isfinite(number))
        printf(",\"%s\":%.9g", name, number);
    else
        printf(",\"%s\":null", name);
}

/* "tokens":6,"loss":0.366…,"perplexity":1.44… */
static void put_loss_json(const Loss *loss)
{
    const double mean = loss->sum[TOGETHER] / (double)loss->targets;
    printf("\"tokens\":%zu,\"loss\":%.9g", loss->targets, mean);
    put_json_number("perplexity", elementary_exp(mean));
}

/* 0.366718      1.4430        6  el perro come un hueso
 *
 * A very large perplexity is printed as 1.234e+09, so that it does not fill the screen with
 * digits. */
static void put_loss(const Loss *loss, int way, const char *text)
{
    const double mean = loss->sum[way] / (double)loss->targets, perplexity = elementary_exp(mean);
    AUTOFREE char *shown = display_text(text);
    printf(perplexity < 1e5 ? "%9.6f  %10.4f  %7zu  " : "%9.6f  %10.4g  %7zu  ", mean, perplexity,
           loss->targets);
    put_cut(stdout, shown, max_int(screen_width() - 33, 28));
    putchar('\n');
}

/* {"line":1,"text":"el perro come un hueso","tokens":6,"loss":0.366…,"perplexity":1.44…}
 *
 * A line of the text, number `number`, with the tokens [from, end); or its rows. */
static void put_line(Scoring *s, const Loss *loss, size_t number, size_t from, size_t end)
{
    if (s->choice->each) {
        if (in_table(s))
            put_shaded_line(s, number, from, end);
        for (ptrdiff_t i = 0, next; i < arrlen(s->line); i = next) {
            next = end_of_row(s, i);
            put_row(s, number, from, i, next);
        }
        arrsetlen(s->line, 0);
        return;
    }
    AUTOFREE char *text = text_of(s, from, from, end);
    if (s->choice->json) {
        printf("{\"line\":%zu,\"text\":", number);
        put_json(stdout, text);
        putchar(',');
        put_loss_json(loss);
        printf("}\n");
    } else
        put_loss(loss, TOGETHER, text);
}

/* Adds the loss of a batch. */
static void add_batch(Loss *loss, Scoring *s, const Batch *batch)
{
    const double share = s->counts ? s->counts->share : 0;
    for (int way = TOGETHER; way < ways_of(s); way++) {
        if (way != TOGETHER)
            s->counts->share = way == COUNTING;
        const double sum = gpt_evaluate_each(&s->model->gpt, batch, s->predictions[way]);
        pretrained_check(s->model, sum);
        loss->sum[way] += sum;
    }
    if (s->counts)
        s->counts->share = share;
    loss->targets += (size_t)batch->counted;
}

/* Adds what was predicted of the tokens of a batch that count; `piece` is what the model has read.
 * A hidden token is in a sequence of its own, the whole piece. */
static void add_rows(Scoring *s, Piece piece, const Batch *batch)
{
    const size_t ahead = (size_t)objective_ahead(&s->corpus.objective);
    for (int q = 0, n = 0; q < batch->sequences; q++)
        for (int i = batch->start[q]; i < batch->start[q + 1]; i++) {
            if (batch->targets[i] < 0)
                continue;
            Predicted row = {.at = piece.from + (size_t)(i - batch->start[q]) + ahead,
                             .piece = piece};
            for (int way = TOGETHER; way < WAYS && s->predictions[way]; way++)
                row.prediction[way] = s->predictions[way][n];
            arrput(s->line, row);
            n++;
        }
}

/* Adds the loss of a piece. A piece whose tokens are hidden one by one takes several batches. */
static void add_piece(Loss *loss, Scoring *s, Piece piece)
{
    const Part part = {.count = 1, .list = &piece};
    const Piece read = corpus_read(&s->corpus, &part, piece);
    BatchPlace place = {0};
    for (Batch batch; batch_next(&batch, &s->room, &s->corpus, &part, &place);) {
        add_batch(loss, s, &batch);
        if (s->choice->each)
            add_rows(s, read, &batch);
    }
}

/* Scores all pieces, a line after the other; returns the sum. A line of the text is several pieces
 * if it is longer than the context; in a stream, each piece counts as a line. */
static Loss score_lines(Scoring *s)
{
    Loss all = {0}, line = {0};
    size_t number = 0, line_from = 0;
    for (size_t p = 0; p < s->corpus.train.count; p++) {
        const Piece piece = corpus_piece(&s->corpus, &s->corpus.train, p);
        if (!line.targets)
            line_from = piece.from;
        add_piece(&line, s, piece);
        if (!s->corpus.stream && !corpus_ends_line(&s->corpus, piece))
            continue; /* the line goes on */
        put_line(s, &line, ++number, line_from,
                 piece.from + piece.length + (size_t)objective_ahead(&s->corpus.objective));
        for (int way = TOGETHER; way < WAYS; way++)
            all.sum[way] += line.sum[way];
        all.targets += line.targets;
        line = (Loss){0};
    }
    return all;
}

Corpus corpus_to_score(Pretrained *model, const char *path)
{
    Text text = text_read(path, model->tokenizer.form);
    Corpus corpus = corpus_new(&text, &model->tokenizer);
    corpus.objective = pretrained_objective(model);
    corpus_check_pairs(&corpus, model->gpt.config.context, text.name);
    tokenizer_learn_spacing(&model->tokenizer, text_span(&text));
    text_free(&text);
    corpus_cut(&corpus, model->gpt.config.context, 0, 0);
    return corpus;
}

/* Why there are no bits per byte. */
static const char *no_bits(const Scoring *s)
{
    if (s->corpus.objective.kind == OBJECTIVE_MASKED)
        return _("bits per byte are not comparable: each token was predicted from all the others");
    return s->tokenizer->kind == TOKENIZER_WORD
               ? _("bits per byte are not comparable: the model never spells a word")
               : _("bits per byte are not comparable: the text has tokens that are [unk]");
}

/* {"tokens":48,"loss":0.412…,"perplexity":1.51…,"bytes":212,"bits_per_byte":0.134…} */
static void put_all_json(const Scoring *s, const Loss *all, double bytes)
{
    putchar('{');
    put_loss_json(all);
    put_json_number("bytes", bytes);
    put_json_number("bits_per_byte", bits_per_byte(all->sum[TOGETHER], bytes));
    if (s->counts) {
        put_json_number("model_loss", all->sum[MODEL] / (double)all->targets);
        put_json_number("counting_loss", all->sum[COUNTING] / (double)all->targets);
    }
    printf("}\n");
}

/* 0.412301      1.5103       48  in all
 * 0.530022      1.6990       48  in all, the model alone
 * 0.702118      2.0180       48  in all, counting alone
 * 0.1347 bits per byte, of 212 bytes that these tokens stand for */
static void put_all(const Scoring *s, const Loss *all, double bytes)
{
    static const char *const names[] = {N_("in all"), N_("in all, the model alone"),
                                        N_("in all, counting alone")};
    for (int way = TOGETHER; way < ways_of(s); way++)
        put_loss(all, way, translated(names[way]));
    if (isnan(bytes))
        printf("%s\n", no_bits(s));
    else
        printf(_("%.4f bits per byte, of %s that these tokens stand for\n"),
               bits_per_byte(all->sum[TOGETHER], bytes),
               plural((size_t)(bytes + 0.5), "byte", "bytes").text);
}

/* What --each needs; prints the head of the rows. */
static void begin_rows(Scoring *s)
{
    const Screen screen = screen_open();
    s->shades = shades_of(&screen);
    s->most = elementary_log(tokenizer_size(s->tokenizer)) / M_LN2;
    s->text = training_text_open(s->model, s->choice->text);
    s->read = memory_new((size_t)s->corpus.context + 1, sizeof *s->read, "the rows");
    if (s->text.there && hides(s))
        s->times = memory_new((size_t)tokenizer_size(s->tokenizer), sizeof *s->times, "the rows");
    else if (s->text.there)
        s->suffixes = suffixes_new(&s->text.corpus, s->corpus.context + 1);
    for (int way = TOGETHER; way < ways_of(s); way++)
        s->predictions[way] =
            memory_new((size_t)s->model->gpt.rows, sizeof **s->predictions, "the rows");
    put_head(s);
}

static void end_rows(Scoring *s)
{
    if (in_table(s) && s->shades.palette)
        put_shades(s);
    for (int way = TOGETHER; way < WAYS; way++)
        free(s->predictions[way]);
    suffixes_free(&s->suffixes);
    free(s->times);
    training_text_free(&s->text);
    arrfree(s->line);
    free(s->read);
}

/* Rows of tokens that a program reads are all of one kind: there is no line for the whole text. */
void score_text(Pretrained *model, CountMixture *counts, const Choice *choice)
{
    Scoring s = {.model = model,
                 .tokenizer = &model->tokenizer,
                 .counts = counts,
                 .choice = choice,
                 .corpus = corpus_to_score(model, choice->score),
                 .room = batch_room_new(model->gpt.rows)};
    const bool table = in_table(&s);
    if (choice->each)
        begin_rows(&s);
    else if (table)
        printf("%s", translated(HEAD));
    const Loss all = score_lines(&s);
    if (choice->each) {
        end_rows(&s);
        if (table)
            printf("\n%s", translated(HEAD));
    }
    const double bytes = corpus_bytes(&s.corpus, &model->tokenizer, &s.corpus.train);
    if (table)
        put_all(&s, &all, bytes);
    else if (!choice->each)
        put_all_json(&s, &all, bytes);
    batch_room_free(&s.room);
    corpus_free(&s.corpus);
}
