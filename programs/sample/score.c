/* score.c: the text is evaluated as train does it, piece by piece; the pieces of a line that is
 * longer than the context are added up. */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/elementary.h"
#include "base/utf8.h"
#include "programs/terminal/screen.h"
#include "text/corpus/batches.h"
#include "text/corpus/corpus.h"
#include "each.h"

/* translators: the head of a table; keep the widths */
static const char HEAD[] = N_("     loss  perplexity   tokens  text\n");

/* Who predicts: the model, with counting if there is a mixture; and then each of the two alone. */
enum { TOGETHER, MODEL, COUNTING, WAYS };

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
    char *shown = display_text(text);
    printf(perplexity < 1e5 ? "%9.6f  %10.4f  %7zu  " : "%9.6f  %10.4g  %7zu  ", mean, perplexity,
           loss->targets);
    put_cut(stdout, shown, max_int(screen_width() - 33, 28));
    putchar('\n');
    free(shown);
}

/* The tokens [from, end) of a corpus as text: the text itself has been freed. The caller frees. */
static char *text_of(const Pretrained *model, const Corpus *corpus, size_t from, size_t end)
{
    int *ids = memory_take((end - from) * sizeof *ids);
    ids_read(&corpus->ids, from, end - from, ids);
    char *text = tokenizer_decode(&model->tokenizer, ids, (int)(end - from));
    free(ids);
    return text;
}

/* What a text is scored with. */
typedef struct {
    Pretrained *model;
    CountMixture *counts; /* or NULL */
    bool json;
    Each *each; /* prints a row for each token; or NULL: a line for each line of the text */
    Prediction *predictions[WAYS]; /* (rows of a batch) of its tokens that count */
    Corpus corpus;
    BatchRoom room;
} Scoring;

/* {"line":1,"text":"el perro come un hueso","tokens":6,"loss":0.366…,"perplexity":1.44…}
 *
 * A line of the text, number `number`, with the tokens [from, end). */
static void put_line(const Scoring *s, const Loss *loss, size_t number, size_t from, size_t end)
{
    if (s->each) {
        each_end_line(s->each, number, from, end);
        return;
    }
    char *text = text_of(s->model, &s->corpus, from, end);
    if (s->json) {
        printf("{\"line\":%zu,\"text\":", number);
        put_json(stdout, text);
        putchar(',');
        put_loss_json(loss);
        printf("}\n");
    } else
        put_loss(loss, TOGETHER, text);
    free(text);
}

/* Adds the loss of a batch. */
static void add_batch(Loss *loss, Scoring *s, const Batch *batch)
{
    const double share = s->counts ? s->counts->share : 0;
    for (int way = TOGETHER; way < (s->counts ? WAYS : MODEL); way++) {
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

/* Adds the loss of a piece. A piece whose tokens are hidden one by one takes several batches. */
static void add_piece(Loss *loss, Scoring *s, Piece piece)
{
    const Part part = {.count = 1, .list = &piece};
    const Piece read = corpus_read(&s->corpus, &part, piece);
    BatchPlace place = {0};
    for (Batch batch; batch_next(&batch, &s->room, &s->corpus, &part, &place);) {
        add_batch(loss, s, &batch);
        if (s->each)
            each_add(s->each, read, &batch, s->predictions[TOGETHER], s->predictions[MODEL],
                     s->predictions[COUNTING]);
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

static Corpus corpus_to_score(Pretrained *model, const char *path)
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
    return s->model->tokenizer.kind == TOKENIZER_WORD
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
    put_loss(all, TOGETHER, _("in all"));
    if (s->counts) {
        put_loss(all, MODEL, _("in all, the model alone"));
        put_loss(all, COUNTING, _("in all, counting alone"));
    }
    if (isnan(bytes))
        printf("%s\n", no_bits(s));
    else
        printf(_("%.4f bits per byte, of %s that these tokens stand for\n"),
               bits_per_byte(all->sum[TOGETHER], bytes),
               plural((size_t)(bytes + 0.5), "byte", "bytes").text);
}

/* Rows of tokens that a program reads are all of one kind: there is no line for the whole text. */
void score_text(Pretrained *model, CountMixture *counts, const Choice *choice)
{
    const bool table = row_in_table(choice);
    Scoring s = {.model = model,
                 .counts = counts,
                 .json = choice->json,
                 .corpus = corpus_to_score(model, choice->score),
                 .room = batch_room_new(model->gpt.rows)};
    if (choice->each) {
        s.each = each_begin(model, &s.corpus, choice, counts != NULL);
        for (int way = TOGETHER; way < (counts ? WAYS : MODEL); way++)
            s.predictions[way] =
                memory_new((size_t)model->gpt.rows, sizeof **s.predictions, "the rows");
    } else if (table)
        printf("%s", translated(HEAD));
    const Loss all = score_lines(&s);
    if (choice->each) {
        each_end(s.each);
        if (table)
            printf("\n%s", translated(HEAD));
    }
    const double bytes = corpus_bytes(&s.corpus, &model->tokenizer, &s.corpus.train);
    if (table)
        put_all(&s, &all, bytes);
    else if (!choice->each)
        put_all_json(&s, &all, bytes);
    for (int way = TOGETHER; way < WAYS; way++)
        free(s.predictions[way]);
    batch_room_free(&s.room);
    corpus_free(&s.corpus);
}
