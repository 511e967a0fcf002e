/* show.c: each token's text is added to what is held, of which all that cannot be the beginning of
 * AnswerRules.stop is printed. So the bytes are those that answer_print_continuations() prints. */
#include "show.h"

#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/base.h"
#include "base/language.h"
#include "base/system/system.h"
#include "base/utf8.h"

/* What was printed of an answer. */
typedef struct {
    const Answerer *answerer;
    const Screen *screen;
    bool begun;        /* has printed something */
    double refreshed;  /* clock: when the answer began, or something was shown last */
    int lines;         /* continuations that are printed whole */
    int tokens;        /* of the next one that were taken */
    Decoding decoding; /* of the prompt and these */
    char *held;        /* stb_ds array: the last of their text, which is not printed yet */
    BpeStream stream;  /* what goes from there to the screen */
    int width, rows;   /* of the terminal when it began; that the lines take */
    Vocabulary texts;  /* of the lines */
    bool repeats;      /* some are equal */
} Growing;

/* Rows that a line takes on a terminal of this width. */
static int rows_of(const char *line, int width)
{
    int rows = 1, column = 0;
    for (const char *end = line + strlen(line); line < end;) {
        const int32_t c = utf8_next(&line, end);
        const int columns = c == '\n' ? 0 : utf8_columns(c);
        if (c == '\n' || column + columns > width) {
            rows++;
            column = 0;
        }
        column += columns;
    }
    return rows;
}

/* How many of the last bytes held may be the beginning of a text. */
static size_t may_begin(const char *held, size_t size, const char *text)
{
    size_t most = text ? strlen(text) - 1 : 0;
    for (most = most < size ? most : size; most; most--)
        if (!memcmp(held + size - most, text, most))
            break;
    return most;
}

/* Prints the first `size` bytes held. The beginning of a character that is not complete is kept
 * for later, unless `all`. */
static void release(Growing *g, size_t size, bool all)
{
    AUTOFREE char *text = NULL;
    FILE *out = memory_stream(&text, NULL);
    bpe_stream_put(&g->stream, (Span){g->held, g->held + size}, out);
    if (all)
        bpe_stream_end(&g->stream, out);
    fclose(out);
    AUTOFREE char *shown = display_part(text);
    printf("%s", shown);
    if (size)
        arrdeln(g->held, 0, size);
}

/* Prints the rest of a continuation that is complete, without what --stop cuts off, and notes how
 * many rows it takes and whether an earlier one is equal. */
static void end_line(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    AUTOFREE char *tail = answer_tail(a, c);
    release(g, arrlenu(g->held) - c->cut, c->ended);
    printf("%s\n", tail);
    AUTOFREE char *text = answer_written(a, answer, c), *shown = display_part(text);
    AUTOFREE char *line = format_text("%3d  %s%s", g->lines + 1, shown, tail);
    g->rows += rows_of(line, g->width);
    g->lines++;
    g->tokens = 0;
    g->stream.count = 0;
    arrsetlen(g->held, 0);
    g->repeats |= vocabulary_add(&g->texts, text, strlen(text), false) < 0;
}

/* The last part of the path of the model. The caller frees it. */
static char *model_name(const Answerer *a)
{
    const char *path = a->model->directory.path, *end = path + strlen(path);
    while (end > path + 1 && end[-1] == '/')
        end--;
    const char *name = end;
    while (name > path && name[-1] != '/')
        name--;
    return format_text("%.*s", (int)(end - name), name);
}

/* Prints what is new of the next continuation: most often one token. With --stop " come" the tokens
 *
 *     el perro cor re
 *
 * are printed as "el perro", nothing, since " co" may be the beginning of " come", and " corre". */
static void grow(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    const Tokenizer *t = &a->model->tokenizer;
    if (!g->tokens) {
        g->decoding = DECODING_BEGIN;
        tokenizer_pass(t, &g->decoding, answer->encoding.ids, answer->encoding.count);
    }
    if (!g->tokens && a->rules.chat) {
        AUTOFREE char *name = model_name(a);
        printf("%s%s:%s ", g->screen->bold, name, g->screen->plain);
    } else if (!g->tokens) { /* "  1  el perro": the number, and the prompt in bold */
        AUTOFREE char *prompt = answer_text(a, answer, NULL), *shown = display_part(prompt);
        printf("%3d  %s%s%s", g->lines + 1, g->screen->bold, shown, g->screen->plain);
    }
    AUTOFREE char *text =
        tokenizer_decode_next(t, &g->decoding, c->tokens + g->tokens, c->count - g->tokens);
    for (const char *at = text; *at; at++)
        arrput(g->held, *at);
    g->tokens = c->count;
    if (c->complete)
        end_line(g, answer, c);
    else if (!c->stopped) /* else the text to leave out is among what is held */
        release(g, arrlenu(g->held) - may_begin(g->held, arrlenu(g->held), a->rules.stop), false);
}

/* An AnswerWatch. Gaps are filled in any order, so the whole line is shown again each time, in the
 * status line. Several continuations that take no time are not worth watching: they are printed at
 * the end, equal ones once. */
static void watch(const Answer *answer, int number, const Continuation *so_far, void *watcher)
{
    Growing *g = watcher;
    const bool at_once = g->begun || (!g->answerer->gaps && g->answerer->rules.count == 1);
    if (!at_once && !screen_may_refresh(g->screen, &g->refreshed))
        return;
    if (g->answerer->gaps) {
        AUTOFREE char *text = answer_written(g->answerer, answer, so_far);
        AUTOFREE char *shown = display_text(text);
        screen_status(g->screen, shown);
        return;
    }
    g->begun = true;
    g->width = g->width ? g->width : screen_width();
    while (g->lines < number)
        grow(g, answer, &answer->continuations[g->lines]);
    grow(g, answer, so_far);
    fflush(stdout);
}

/* Draws the continuations of an answer and prints them as they grow; returns the first. If some are
 * equal, the lines are removed from the screen, if all of them are on it: it must be high enough,
 * and lines may have been wrapped again if its width has changed. */
static const Continuation *print_growing(Answerer *a, Answer *answer, const Screen *screen)
{
    Growing g = {
        .answerer = a, .screen = screen, .refreshed = clock_seconds(), .texts = vocabulary_new()};
    const Continuation *first;
    answer_continue(a, answer, a->rules.sources ? NULL : watch, &g);
    if (a->gaps)
        screen_status(screen, "");
    const bool back = g.repeats && g.rows < system_rows(STDOUT_FILENO) && g.width == screen_width();
    if (back)
        printf("\033[%dA\r\033[J", g.rows);
    if (!g.begun || back)
        first = answer_print_continuations(a, answer, screen);
    else {
        first = answer->continuations;
        answer_print_full(a, answer);
    }
    arrfree(g.held);
    vocabulary_free(&g.texts);
    return first;
}

/* What the model does not know of the prompt, and what it reads of it. */
static void warn_of_unknown(const Answerer *a, const Answer *answer)
{
    const Encoding *e = &answer->encoding;
    if (a->rules.chat) {
        warn("%s; it is left out", answer->unknown);
        return;
    }
    AUTOFREE char *text = tokenizer_decode(&a->model->tokenizer, e->ids, e->count);
    AUTOFREE char *shown = display_text(text);
    warn("%s", answer->unknown);
    if (*shown)
        warn("the answer goes on from '%s'", shown);
    else
        warn("the answer goes on from the beginning of a line");
}

const Continuation *answer_show(Answerer *a, Answer *answer, const Screen *screen)
{
    const Continuation *first = NULL;
    if (a->rules.json) {
        if (!answer->encoding.wrong)
            answer_continue(a, answer, NULL, NULL);
        first = answer->count ? answer->continuations : NULL;
        answer_print_json(a, answer);
    } else if (answer->encoding.wrong) {
        warn("%s", answer->encoding.wrong);
    } else {
        if (answer->unknown)
            warn_of_unknown(a, answer);
        if (a->rules.sources && !a->text->there) /* asked for at the prompt line */
            warn("--sources needs the text that %s was trained on; name it with --text FILE",
                 a->model->directory.path);
        answer_print_tables(a, answer, screen);
        first = print_growing(a, answer, screen);
    }
    fflush(stdout);
    return first;
}
