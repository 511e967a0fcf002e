/* answer_print.c: a table; continuations as text, which a map groups if they are equal; and the
 * same as JSON. All words go through utf8.h: a prompt or a model may contain escape
 * sequences. */
#include "answer_print.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/numbers/elementary.h"
#include "base/utf8.h"

/* Columns of a bar for probability 1, and of the longest word. */
enum { BAR = 24, WORD_COLUMNS = 16 };

/* Its length is counted in eighths of a column. */
void put_bar(double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int length = (int)lround(share * BAR * 8);
    fputs(length ? "  " : "", stdout);
    for (int i = 0; i < length / 8; i++)
        fputs("█", stdout);
    puts(eighths[length % 8]);
}

/* Columns of "0.400  2 of 5", or of the heading over it, and of the space after it. */
static int count_columns(const Candidates *place)
{
    const int digits = snprintf(NULL, 0, "%zu", place->times_in_all);
    return place->times_in_all ? max_int(11, 7 + digits + 4 + digits) + 2 : 0;
}

/* 0.400     0.390  0.396: what the model and counting give alone, and both together. */
static void put_numbers(const Candidates *place, const double *parts, double probability)
{
    if (place->in_parts)
        printf("%.3f  %8.3f  ", parts[0], parts[1]);
    printf("%.3f", probability);
}

/* Prints one row; the word is bold and takes `columns` columns. */
static void put_row(const Candidates *place, const Screen *screen, const Candidate *row,
                    int columns)
{
    AUTOFREE char *word = display_token(row->text);
    printf("  %s", screen->bold);
    put_fitted(stdout, word, columns, false);
    printf("%s  ", screen->plain);
    if (place->times_in_all) {
        const size_t all = place->times_in_all;
        Digits count;
        snprintf(count.text, sizeof count.text, _("%.3f  %zu of %zu"),
                 (double)row->times / (double)all, row->times, all);
        printf("%-*s", count_columns(place), count.text);
    }
    put_numbers(place, row->parts, row->probability);
    put_bar(row->probability);
}

/*      word       in the text    model
 *      perro      0.400  2 of 5  0.400  █████████▋
 *      muchacho   0.400  2 of 5  0.400  █████████▋
 *      gato       0.200  1 of 5  0.200  ████▊
 *      12 others                 0.000
 *
 * The counts are left out if there are none. If the model is mixed with counting:
 *
 *      word       in the text    model  counting  both
 *      perro      0.400  2 of 5  0.400     0.390  0.396  █████████▌
 *      12 others                 0.000     0.031  0.013
 *
 * Rows are tokens, or whole words, whose number is unknown. */
static void put_table(const Answerer *a, const Answer *answer, const Candidates *place,
                      const Screen *screen)
{
    const Tokenizer *t = &a->model->tokenizer;
    const bool words = answer->whole_words;
    const int kinds = tokenizer_size(t), counts = count_columns(place);
    const double least = a->rules.all_rows ? 0 : ROW_LEAST;
    int rows = (int)arrlen(place->best); /* the last ones are left out if they say nothing */
    while (rows && place->best[rows - 1].probability < least && !place->best[rows - 1].times)
        rows--;
    if (!rows)
        return;
    const char *heading = words ? _("next word") : translated(tokenizer_unit(t->kind));
    const Digits counted = plural((size_t)(kinds - rows), "other", "others");
    const char *others = words ? _("others") : counted.text;
    int columns = max_int(display_width(others), display_width(heading)); /* of the words */
    for (int i = 0; i < rows; i++) {
        AUTOFREE char *word = display_token(place->best[i].text);
        columns = max_int(columns, display_width(word));
    }
    columns = min_int(columns, WORD_COLUMNS);
    printf("  ");
    put_fitted(stdout, heading, columns + 2, false);
    put_fitted(stdout, counts ? _("in the text") : "", counts, false);
    /* translators: keep the widths of the first two */
    printf("%s\n", place->in_parts ? _("model  counting  both") : _("model"));
    double rest = 1, parts[2] = {1, 1};
    for (int i = 0; i < rows; i++) {
        put_row(place, screen, &place->best[i], columns);
        rest -= place->best[i].probability;
        parts[0] -= place->best[i].parts[0];
        parts[1] -= place->best[i].parts[1];
    }
    if (words || rows < kinds) {
        printf("  ");
        put_fitted(stdout, others, columns + 2 + counts, false);
        put_numbers(place, (double[]){fmax(parts[0], 0), fmax(parts[1], 0)}, fmax(rest, 0));
        putchar('\n');
    }
}

static const char *word_of(const Answerer *a, int id)
{
    return tokenizer_word(&a->model->tokenizer, id);
}

void print_lowered(FILE *out, const Encoding *e, const char *indent)
{
    if (!e->lowered)
        return;
    AUTOFREE char *word = display_text(e->lowered);
    fprintf(out, _("%sread in lower case, as in the training text: %s\n"), indent, word);
}

void answer_print_tables(const Answerer *a, const Answer *answer, const Screen *screen)
{
    print_lowered(stdout, &answer->encoding, "  ");
    for (int i = 0; i < answer->place_count && a->rules.table; i++) {
        if (answer->place_count > 1)
            printf(_("  gap %d of %d\n"), i + 1, answer->place_count);
        put_table(a, answer, &answer->places[i], screen);
    }
}

/* ---- Continuations ---- */

/* A subword may end within a character. */
char *answer_written(const Answerer *a, const Answer *answer, const Continuation *c)
{
    AUTOFREE char *text = answer_text(a, answer, c);
    char *complete;
    if (!c || c->ended)
        return format_text("%s", text);
    FILE *out = memory_stream(&complete, NULL);
    bpe_stream_put(&(BpeStream){.count = 0}, (Span){text, text + strlen(text)}, out);
    fclose(out);
    return complete;
}

char *answer_tail(const Answerer *a, const Continuation *c)
{
    char *tail = format_text("%s", c->ended || c->stopped ? "" : " …");
    if (a->rules.chat)
        return tail;
    if (a->rules.beam || a->pairs)
        extend_text(&tail, "  [p %.3g]", elementary_exp(c->log_probability));
    if (a->text->there)
        extend_text(&tail, "  [%s]", c->in_text ? _("word for word in the text") : _("new"));
    return tail;
}

/* Continuations of the same text: an entry of an stb_ds map. */
typedef struct {
    char *key;                        /* the text, with the prompt */
    int value;                        /* how many there are */
    const Continuation *continuation; /* the first of them */
} Group;

static int more_often_first(const void *a, const void *b)
{
    const Group *one = a, *other = b;
    if (one->value != other->value)
        return other->value - one->value;
    return one->continuation < other->continuation ? -1 : 1;
}

void answer_print_full(Answerer *a, const Answer *answer)
{
    bool full = answer->context_full;
    for (int i = 0; i < answer->count; i++)
        full |= answer->continuations[i].context_full;
    if (!full || a->told_full)
        return;
    a->told_full = true;
    const int context = a->model->gpt.config.context;
    if (a->rules.beam || a->pairs) {
        printf(a->rules.chat ? _("     the context of %d tokens was full: an answer ends there\n")
               : a->pairs    ? _("     the context of %d tokens was full: a target ends there\n")
                             : _("     the context of %d tokens was full: a beam ends there\n"),
               context);
        return;
    }
    bool after_bos;
    const int kept = generator_keeps(&a->writer, &after_bos);
    AUTOFREE char *bos = after_bos ? display_token(word_of(a, a->model->tokenizer.bos)) : NULL;
    printf(bos ? _("     the context of %d tokens was full: each time, only the last %d are read "
                   "again, after %s\n")
               : _("     the context of %d tokens was full: each time, only the last %d are read "
                   "again\n"),
           context, kept, bos);
    printf(_("     (train --context N makes a model that sees more)\n"));
}

/* The bytes of the text of the first tokens of some: where the text of those after them begins. */
static size_t bytes_of(const Answerer *a, const int *tokens, int count)
{
    AUTOFREE char *text = tokenizer_decode(&a->model->tokenizer, tokens, count);
    return strlen(text);
}

/* Prints the bytes [*from, end) of a text, and moves *from there. */
static void put_part(const char *style, const char *text, size_t *from, size_t end)
{
    AUTOFREE char *part = format_text("%.*s", (int)(end - *from), text + *from),
                  *shown = display_part(part);
    printf("%s%s", style, shown);
    *from = end;
}

/* What was given is bold, what the model adds is not; that begins with the space before it, if
 * there is one. */
static void put_text(const Answerer *a, const Answer *answer, const Group *group,
                     const Screen *screen)
{
    const char *text = group->key;
    int count;
    AUTOFREE int *tokens = answer_tokens(answer, answer->hidden, group->continuation, &count);
    size_t shown = 0;
    for (int i = 0; i < answer->place_count; i++) {
        const int at = answer->places[i].at - answer->hidden;
        put_part(screen->bold, text, &shown, bytes_of(a, tokens, at));
        put_part(screen->plain, text, &shown, a->gaps ? bytes_of(a, tokens, at + 1) : strlen(text));
    }
    if (text[shown]) {
        put_part(screen->bold, text, &shown, strlen(text));
        printf("%s", screen->plain);
    }
}

/* The number in its file of a line that has a quote, or "" if it is not known. */
static Digits line_number(const TrainingText *text, size_t line)
{
    Digits number = {""};
    if (line)
        snprintf(number.text, sizeof number.text, "%zu",
                 text->lines ? text->lines[line - 1] : line);
    return number;
}

/*      piece         times  line
 *      el gato come      2     4  el gato come pescado
 *      croquetas         1     7  un perro come croquetas
 *
 * Where two rows meet is a joint that the text does not have. */
static void put_quotes(const Answerer *a, const Quote *quotes, const Screen *screen)
{
    enum { COLUMNS = 30, REST = 22 };
    const int room = (screen->terminal ? screen_width() : 80) - REST;
    int columns = display_width(_("piece"));
    for (const Quote *q = quotes; q < quotes + arrlen(quotes); q++) {
        AUTOFREE char *piece = display_text(q->text + strspn(q->text, " "));
        columns = min_int(max_int(columns, display_width(piece)), COLUMNS);
    }
    printf("     ");
    put_fitted(stdout, _("piece"), columns, false);
    put_fitted(stdout, _("times"), 7, true);
    put_fitted(stdout, _("line"), 8, true);
    putchar('\n');
    for (const Quote *q = quotes; q < quotes + arrlen(quotes); q++) {
        AUTOFREE char *piece = display_text(q->text + strspn(q->text, " "));
        AUTOFREE char *line = q->times
                                  ? quote_line(&a->text->corpus, &a->model->tokenizer, q->place)
                                  : format_text("%s", "");
        AUTOFREE char *shown = display_text(line);
        printf("     %s", screen->bold);
        put_fitted(stdout, piece, columns, false);
        printf("%s  %5zu  %6s  ", screen->plain, q->times, line_number(a->text, q->line[0]).text);
        put_cut(stdout, shown, max_int(room - columns, 20));
        putchar('\n');
    }
}

/* "  2 x  el perro come" if some are equal, else "  1  el perro come". */
const Continuation *answer_print_continuations(Answerer *a, const Answer *answer,
                                               const Screen *screen)
{
    Group *groups = NULL;
    for (int i = 0; i < answer->count; i++) {
        const Continuation *c = &answer->continuations[i];
        char *text = answer_written(a, answer, c);
        Group *group = shgetp_null(groups, text);
        if (group) {
            group->value++;
            free(text);
        } else {
            shputs(groups, ((Group){text, 1, c}));
        }
    }
    const int count = (int)shlen(groups);
    const bool repeats = groups && count < answer->count;
    if (repeats)
        qsort(groups, (size_t)count, sizeof *groups, more_often_first);
    const Continuation *first = count ? groups[0].continuation : NULL;
    for (int i = 0; i < count; i++) {
        printf(repeats ? "%3d x  " : "%3d  ", repeats ? groups[i].value : i + 1);
        put_text(a, answer, &groups[i], screen);
        AUTOFREE char *tail = answer_tail(a, groups[i].continuation);
        printf("%s\n", tail);
        if (groups[i].continuation->quotes)
            put_quotes(a, groups[i].continuation->quotes, screen);
        free(groups[i].key);
    }
    answer_print_full(a, answer);
    shfree(groups);
    return first;
}

/* ---- JSON ---- */

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

/* [{"token":"perro","probability":0.4,"count":2,"of":5}, …] */
static void put_candidates_json(const Candidates *c)
{
    printf("[");
    for (ptrdiff_t i = 0; i < arrlen(c->best); i++) {
        printf(i ? ",{\"token\":" : "{\"token\":");
        put_json(stdout, c->best[i].text);
        printf(",\"probability\":%.9g", c->best[i].probability);
        if (c->in_parts)
            printf(",\"model\":%.9g,\"counting\":%.9g", c->best[i].parts[0], c->best[i].parts[1]);
        if (c->times_in_all)
            printf(",\"count\":%zu,\"of\":%zu", c->best[i].times, c->times_in_all);
        printf("}");
    }
    printf("]");
}

static void put_tokens_json(const Answerer *a, const int *tokens, int count)
{
    printf("\"tokens\":[");
    for (int i = 0; i < count; i++) {
        printf(i ? "," : "");
        put_json(stdout, word_of(a, tokens[i]));
    }
    printf("]");
}

/* ,"sources":[{"text":"el gato come","times":2,"lines":[4,9]}, …] */
static void put_quotes_json(const Answerer *a, const Quote *quotes)
{
    printf(",\"sources\":[");
    for (const Quote *q = quotes; q < quotes + arrlen(quotes); q++) {
        printf(q > quotes ? ",{\"text\":" : "{\"text\":");
        put_json(stdout, q->text);
        printf(",\"times\":%zu,\"lines\":[", q->times);
        for (size_t i = 0; i < QUOTE_PLACES && i < q->times && q->line[i]; i++)
            printf(i ? ",%s" : "%s", line_number(a->text, q->line[i]).text);
        printf("]}");
    }
    printf("]");
}

/* The text is that of the continuation only, without the prompt, or of the whole line whose gaps
 * are filled. */
static void put_continuation_json(const Answerer *a, const Answer *answer, const Continuation *c)
{
    AUTOFREE char *text = a->gaps ? answer_text(a, answer, c)
                                  : tokenizer_decode(&a->model->tokenizer, c->tokens, c->count);
    if (c->stopped) /* the space before it may also be cut */
        text[strlen(text) - (c->cut < strlen(text) ? c->cut : strlen(text))] = 0;
    printf("{\"text\":");
    put_json(stdout, text);
    printf(",");
    put_tokens_json(a, c->tokens, c->count);
    printf(",\"log_probability\":%.9g", c->log_probability);
    if (!a->gaps)
        printf(",\"ended\":%s,\"context_full\":%s", truth(c->ended), truth(c->context_full));
    if (a->rules.stop)
        printf(",\"stopped\":%s", truth(c->stopped));
    if (a->text->there)
        printf(",\"in_text\":%s", truth(c->in_text));
    if (c->quotes)
        put_quotes_json(a, c->quotes);
    printf("}");
}

/* "context_full":false,"next":[…],"continuations": or, of a line with gaps,
 * "tokens":["[bos]","el","[mask]","come","[eos]"],"gaps":[{"at":2,"candidates":[…]}],"fillings": */
static void put_places_json(const Answerer *a, const Answer *answer)
{
    if (!a->gaps) {
        printf("\"context_full\":%s,\"next\":", truth(answer->context_full));
        put_candidates_json(answer->places);
        printf(",\"continuations\":");
        return;
    }
    put_tokens_json(a, answer->encoding.ids, answer->encoding.count);
    for (int i = 0; i < answer->place_count; i++) {
        printf(i ? "},{\"at\":%d,\"candidates\":" : ",\"gaps\":[{\"at\":%d,\"candidates\":",
               answer->places[i].at);
        put_candidates_json(&answer->places[i]);
    }
    printf("}],\"fillings\":");
}

/* {"prompt":"el","ids":[0,2],"context_full":false,
 *  "next":[{"token":"perro","probability":0.4,"count":2,"of":5}, …],
 *  "continuations":[{"text":"perro come","tokens":["perro","come","[eos]"],
 *                    "log_probability":-1.6,"ended":true,"context_full":false,"in_text":true}, …]}
 *
 * all in one line. With AnswerRules.stop each continuation also has "stopped"; its text ends before
 * that, but the tokens and their probability are all that were drawn. If there is no answer:
 *
 * {"prompt":"ladra","error":"the prompt: the model does not know 'ladra'; …"} */
void answer_print_json(const Answerer *a, const Answer *answer)
{
    printf("{\"prompt\":");
    put_json(stdout, answer->prompt);
    if (answer->encoding.wrong) {
        printf(",\"error\":");
        put_json(stdout, answer->encoding.wrong);
        printf("}\n");
        return;
    }
    if (answer->unknown) {
        printf(",\"unknown\":");
        put_json(stdout, answer->unknown);
    }
    if (answer->encoding.lowered) {
        printf(",\"lowered\":");
        put_json(stdout, answer->encoding.lowered);
    }
    printf(",\"ids\":[");
    for (int i = 0; i < answer->encoding.count; i++)
        printf(i ? ",%d" : "%d", answer->encoding.ids[i]);
    printf("],");
    put_places_json(a, answer);
    printf("[");
    for (int i = 0; i < answer->count; i++) {
        printf(i ? "," : "");
        put_continuation_json(a, answer, &answer->continuations[i]);
    }
    printf("]}\n");
}
