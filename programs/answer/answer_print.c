/* answer_print.c: a table; continuations as text, which a map groups if they are equal; and the
 * same as JSON. All words go through display.h: a prompt or a model may contain escape
 * sequences. */
#include "answer_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "bars.h"
#include "base/display.h"
#include "base/numbers/elementary.h"

static const char *word_of(const Answerer *a, int id)
{
    return tokenizer_word(&a->model->tokenizer, id);
}

static const char *unit_of(const Answerer *a)
{
    return tokenizer_unit(a->model->tokenizer.kind);
}

void print_lowered(FILE *out, const Encoding *e, const char *indent)
{
    if (!e->lowered)
        return;
    char *word = display_text(e->lowered);
    fprintf(out, _("%sread in lower case, as in the training text: %s\n"), indent, word);
    free(word);
}

/* Prints the table of a place. Its rows are tokens, or whole words, whose number is unknown. */
static void put_table(const Answerer *a, const Answer *answer, const Candidates *place,
                      const Screen *screen)
{
    const Bars bars = {.heading = answer->whole_words ? _("next word") : translated(unit_of(a)),
                       .rows = place->best,
                       .count = (int)arrlen(place->best),
                       .least = a->rules.all_rows ? 0 : ROW_LEAST,
                       .times_in_all = place->times_in_all,
                       .in_parts = place->in_parts,
                       .kinds = answer->whole_words ? 0 : tokenizer_size(&a->model->tokenizer)};
    bars_print(&bars, screen);
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
    char *text = answer_text(a, answer, c), *complete;
    if (!c || c->ended)
        return text;
    FILE *out = memory_stream(&complete, NULL);
    bpe_stream_put(&(BpeStream){.count = 0}, (Span){text, text + strlen(text)}, out);
    fclose(out);
    free(text);
    return complete;
}

char *answer_tail(const Answerer *a, const Continuation *c)
{
    char *tail = format_text("%s", c->ended || c->stopped ? "" : " …");
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

void answer_print_full(const Answerer *a, const Answer *answer)
{
    bool full = answer->context_full;
    for (int i = 0; i < answer->count; i++)
        full |= answer->continuations[i].context_full;
    if (!full)
        return;
    const int context = a->model->gpt.config.context;
    if (a->rules.beam || a->pairs) {
        printf(a->pairs ? _("     the context of %d tokens was full: a target ends there\n")
                        : _("     the context of %d tokens was full: a beam ends there\n"),
               context);
        return;
    }
    bool after_bos;
    const int kept = generator_keeps(&a->writer, &after_bos);
    char *bos = after_bos ? display_token(word_of(a, a->model->tokenizer.bos)) : NULL;
    printf(bos ? _("     the context of %d tokens was full: each time, only the last %d are read "
                   "again, after %s\n")
               : _("     the context of %d tokens was full: each time, only the last %d are read "
                   "again\n"),
           context, kept, bos);
    free(bos);
    printf(_("     (train --context N makes a model that sees more)\n"));
}

/* The bytes of the text of the first tokens of some: where the text of those after them begins. */
static size_t bytes_of(const Answerer *a, const int *tokens, int count)
{
    char *text = tokenizer_decode(&a->model->tokenizer, tokens, count);
    const size_t bytes = strlen(text);
    free(text);
    return bytes;
}

/* Prints the bytes [*from, end) of a text, and moves *from there. */
static void put_part(const char *style, const char *text, size_t *from, size_t end)
{
    char *part = format_text("%.*s", (int)(end - *from), text + *from), *shown = display_part(part);
    printf("%s%s", style, shown);
    free(shown);
    free(part);
    *from = end;
}

/* What was given is bold, what the model adds is not; that begins with the space before it, if
 * there is one. */
static void put_text(const Answerer *a, const Answer *answer, const Group *group,
                     const Screen *screen)
{
    const char *text = group->key;
    int count, *tokens = answer_tokens(answer, group->continuation, &count);
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
    free(tokens);
}

static void put_group(const Answerer *a, const Answer *answer, const Group *group,
                      const Screen *screen)
{
    char *tail = answer_tail(a, group->continuation);
    put_text(a, answer, group, screen);
    printf("%s\n", tail);
    free(tail);
}

/* "  2 x  el perro come" if some are equal, else "  1  el perro come". */
const Continuation *answer_print_continuations(const Answerer *a, const Answer *answer,
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
        put_group(a, answer, &groups[i], screen);
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

/* The text is that of the continuation only, without the prompt, or of the whole line whose gaps
 * are filled. */
static void put_continuation_json(const Answerer *a, const Answer *answer, const Continuation *c)
{
    char *text = a->gaps ? answer_text(a, answer, c)
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
    printf("}");
    free(text);
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

/* {"prompt":"el","context_full":false,
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
    if (answer->encoding.lowered) {
        printf(",\"lowered\":");
        put_json(stdout, answer->encoding.lowered);
    }
    printf(",");
    put_places_json(a, answer);
    printf("[");
    for (int i = 0; i < answer->count; i++) {
        printf(i ? "," : "");
        put_continuation_json(a, answer, &answer->continuations[i]);
    }
    printf("]}\n");
}
