/* answer_print.c: a table; continuations as text, which a map groups if they are equal; and the same
 * as JSON. All words go through display.h: a prompt or a
 * model may contain escape sequences. */
#include "answer_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "bars.h"
#include "base/display.h"

static const char *word_of(const Answerer *a, int id)
{
    return tokenizer_word(&a->model->tokenizer, id);
}

static const char *unit_of(const Answerer *a)
{
    return tokenizer_unit(a->model->tokenizer.kind);
}

void print_lowered(const Encoding *e, const char *indent)
{
    if (!e->lowered)
        return;
    char *word = display_text(e->lowered);
    if (e->lowered_count == 1)
        printf("%s'%s' is read in lower case, as the model knows it\n", indent, word);
    else
        printf("%s'%s' and %d more are read in lower case, as the model knows them\n", indent, word,
               e->lowered_count - 1);
    free(word);
}

/* The rows of the table: whole words, of which there is no number, or next tokens. */
void answer_print_next(const AnswerPrinter *printer, const Answer *answer)
{
    const Answerer *a = printer->answerer;
    Bars bars = {.heading = answer->words ? "next word" : unit_of(a),
                 .count = answer->words ? (int)arrlen(answer->words) : answer->rows,
                 .least = a->rules.all_rows ? 0 : ROW_LEAST,
                 .times_in_all = answer->times_in_all,
                 .kinds = answer->words ? 0 : tokenizer_size(&a->model->tokenizer)};
    bars.rows = memory_new((size_t)bars.count, sizeof *bars.rows, "a table");
    for (int i = 0; i < bars.count; i++)
        if (answer->words) {
            const NextWord *word = &answer->words[i];
            bars.rows[i] = (BarRow){word->text, word->probability, word->times};
        } else {
            const Ranked *next = &answer->next[i];
            bars.rows[i] = (BarRow){word_of(a, next->id), next->value, answer->times[next->id]};
        }
    print_lowered(&answer->encoding, "  ");
    bars_print(&bars, printer->screen);
    free(bars.rows);
}

/* ---- Continuations ---- */

/* The text of the prompt and, unless it is NULL, a continuation of it; the caller frees. */
static char *text_with(const Answerer *a, const Answer *answer, const Continuation *c)
{
    int count, *tokens = answer_tokens(answer, c, &count);
    char *text = tokenizer_decode(&a->model->tokenizer, tokens, count);
    free(tokens);
    return text;
}

/* The same for a continuation that was not ended: a subword may end within a character, whose first
 * bytes are held back until the rest of it comes. */
static char *text_so_far(const Answerer *a, const Answer *answer, const Continuation *c)
{
    char *text = text_with(a, answer, c), *complete;
    size_t size;
    FILE *out = memory_stream(&complete, &size);
    bpe_stream_put(&(BpeStream){.count = 0}, (Span){text, text + strlen(text)}, out);
    fclose(out);
    free(text);
    return complete;
}

void answer_print_growing(const Answer *answer, const Continuation *so_far, void *watcher)
{
    AnswerPrinter *printer = watcher;
    if (!screen_may_refresh(printer->screen, &printer->refreshed))
        return;
    char *text = text_so_far(printer->answerer, answer, so_far), *shown = display_text(text);
    screen_status(printer->screen, shown);
    free(shown);
    free(text);
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

/* Prints what happens if a prompt or a continuation is longer than the context. */
static void put_full(const Answerer *a)
{
    printf("     the context of %d tokens was full: ", a->model->gpt.config.context);
    if (a->rules.beam || a->pairs) {
        printf("a %s ends there\n", a->pairs ? "target" : "beam");
        return;
    }
    bool after_bos;
    const int kept = generator_keeps(&a->writer, &after_bos);
    printf("each time, only the last %d are read again", kept);
    if (after_bos) {
        char *bos = display_token(word_of(a, a->model->tokenizer.bos));
        printf(", after %s", bos);
        free(bos);
    }
    printf("\n     (train --context N makes a model that sees more)\n");
}

/* The prompt is bold, the continuation is not. The continuation is what comes after the prompt in
 * the text of both, so that it begins with the space between them, if there is one. */
static void put_group(const AnswerPrinter *printer, const Group *group, const char *prompt)
{
    const Answerer *a = printer->answerer;
    const Continuation *c = group->continuation;
    char *asked = display_part(prompt), *rest = display_part(group->key + strlen(prompt));
    printf("%s%s%s%s%s", printer->screen->bold, asked, printer->screen->plain, rest,
           c->ended ? "" : " …");
    if (a->rules.beam || a->pairs)
        printf("  [p %.3g]", exp(c->log_probability));
    if (a->text->there)
        printf("  [%s]", c->in_text ? "word for word in the text" : "new");
    printf("\n");
    free(asked);
    free(rest);
}

/* "  2 x  el perro come" if some are equal, else "  1  el perro come". */
void answer_print_continuations(const AnswerPrinter *printer, const Answer *answer)
{
    const Answerer *a = printer->answerer;
    char *prompt = text_with(a, answer, NULL);
    Group *groups = NULL;
    bool full = answer->context_full;
    for (int i = 0; i < answer->count; i++) {
        const Continuation *c = &answer->continuations[i];
        char *text = c->ended ? text_with(a, answer, c) : text_so_far(a, answer, c);
        Group *group = shgetp_null(groups, text);
        full |= c->context_full;
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
    for (int i = 0; i < count; i++) {
        printf(repeats ? "%3d x  " : "%3d  ", repeats ? groups[i].value : i + 1);
        put_group(printer, &groups[i], prompt);
        free(groups[i].key);
    }
    if (full)
        put_full(a);
    shfree(groups);
    free(prompt);
}

/* ---- JSON ---- */

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

/* Here the text is that of the continuation only, without the prompt. */
static void put_continuation_json(const Answerer *a, const Continuation *c)
{
    char *text = tokenizer_decode(&a->model->tokenizer, c->tokens, c->count);
    printf("{\"text\":");
    put_json(stdout, text);
    printf(",\"tokens\":[");
    for (int i = 0; i < c->count; i++) {
        printf(i ? "," : "");
        put_json(stdout, word_of(a, c->tokens[i]));
    }
    printf("],\"log_probability\":%.9g,\"ended\":%s,\"context_full\":%s", c->log_probability,
           truth(c->ended), truth(c->context_full));
    if (a->text->there)
        printf(",\"in_text\":%s", truth(c->in_text));
    printf("}");
    free(text);
}

/* {"prompt":"el","context_full":false,
 *  "next":[{"token":"perro","probability":0.4,"count":2,"of":5}, …],
 *  "continuations":[{"text":"perro come","tokens":["perro","come","[eos]"],
 *                    "log_probability":-1.6,"ended":true,"context_full":false,"in_text":true}, …]}
 *
 * all in one line. If there is no answer:
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
    if (answer->encoding.lowered) {
        printf(",\"lowered\":");
        put_json(stdout, answer->encoding.lowered);
    }
    printf(",\"context_full\":%s,\"next\":[", truth(answer->context_full));
    for (int i = 0; i < answer->rows; i++) {
        printf(i ? ",{\"token\":" : "{\"token\":");
        put_json(stdout, word_of(a, answer->next[i].id));
        printf(",\"probability\":%.9g", answer->next[i].value);
        if (answer->times_in_all)
            printf(",\"count\":%zu,\"of\":%zu", answer->times[answer->next[i].id],
                   answer->times_in_all);
        printf("}");
    }
    printf("],\"continuations\":[");
    for (int i = 0; i < answer->count; i++) {
        printf(i ? "," : "");
        put_continuation_json(a, &answer->continuations[i]);
    }
    printf("]}\n");
}
