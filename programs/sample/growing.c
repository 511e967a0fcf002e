/* growing.c: each token's text is added to what is held, of which all that cannot be the beginning
 * of AnswerRules.stop is printed. So the bytes are those that answer_print_continuations()
 * prints. */
#include "growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/utf8.h"

/* What was printed of an answer. */
typedef struct {
    const Answerer *answerer;
    const Screen *screen;
    bool begun;       /* has printed something */
    double refreshed; /* clock: when the answer began, or something was shown last */
    int lines;        /* continuations that are printed whole */
    int tokens;       /* of the next one that were taken */
    char *held;       /* stb_ds array: the last of their text, which is not printed yet */
    BpeStream stream; /* what goes from there to the screen */
    int width, rows;  /* of the terminal when it began; that the lines take */
    Vocabulary texts; /* of the lines */
    bool repeats;     /* some are equal */
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
    char *text;
    FILE *out = memory_stream(&text, NULL);
    bpe_stream_put(&g->stream, (Span){g->held, g->held + size}, out);
    if (all)
        bpe_stream_end(&g->stream, out);
    fclose(out);
    char *shown = display_part(text);
    printf("%s", shown);
    free(shown);
    free(text);
    if (size)
        arrdeln(g->held, 0, size);
}

/* "  1  el perro": the number, and the prompt in bold. */
static void begin_line(const Growing *g, const Answer *answer)
{
    const Screen *screen = g->screen;
    char *prompt = answer_text(g->answerer, answer, NULL), *shown = display_part(prompt);
    printf("%3d  %s%s%s", g->lines + 1, screen->bold, shown, screen->plain);
    free(shown);
    free(prompt);
}

/* Prints the rest of a continuation that is complete, without what --stop cuts off, and notes how
 * many rows it takes and whether an earlier one is equal. */
static void end_line(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    char *tail = answer_tail(a, c);
    release(g, arrlenu(g->held) - c->cut, c->ended);
    printf("%s\n", tail);
    char *text = answer_written(a, answer, c), *shown = display_part(text);
    char *line = format_text("%3d  %s%s", g->lines + 1, shown, tail);
    g->rows += rows_of(line, g->width);
    g->lines++;
    g->tokens = 0;
    g->stream.count = 0;
    arrsetlen(g->held, 0);
    g->repeats |= vocabulary_add(&g->texts, text, strlen(text), false) < 0;
    free(line);
    free(shown);
    free(text);
    free(tail);
}

/* Prints what is new of the next continuation: most often one token. With --stop " come" the tokens
 *
 *     el perro cor re
 *
 * are printed as "el perro", nothing, since " co" may be the beginning of " come", and " corre". */
static void grow(Growing *g, const Answer *answer, const Continuation *c)
{
    const Answerer *a = g->answerer;
    if (!g->tokens)
        begin_line(g, answer);
    for (; g->tokens < c->count; g->tokens++) {
        const int before =
            g->tokens ? c->tokens[g->tokens - 1] : answer->encoding.ids[answer->encoding.count - 1];
        char *text = tokenizer_decode_after(&a->model->tokenizer, before, &c->tokens[g->tokens], 1);
        for (const char *at = text; *at; at++)
            arrput(g->held, *at);
        free(text);
    }
    if (c->complete)
        end_line(g, answer, c);
    else if (!c->stopped) /* else the text to leave out is among what is held */
        release(g, arrlenu(g->held) - may_begin(g->held, arrlenu(g->held), a->rules.stop), false);
}

/* Gaps are filled in any order, so the whole line is shown again each time, in the status line. */
static void show_filling(Growing *g, const Answer *answer, const Continuation *c)
{
    if (!screen_may_refresh(g->screen, &g->refreshed))
        return;
    char *text = answer_written(g->answerer, answer, c), *shown = display_text(text);
    screen_status(g->screen, shown);
    free(shown);
    free(text);
}

/* An AnswerWatch. Several continuations that take no time are not worth watching: they are printed
 * at the end, equal ones once. */
static void watch(const Answer *answer, int number, const Continuation *so_far, void *watcher)
{
    Growing *g = watcher;
    if (g->answerer->gaps) {
        show_filling(g, answer, so_far);
        return;
    }
    if (!g->begun && g->answerer->rules.count > 1 && !screen_may_refresh(g->screen, &g->refreshed))
        return;
    g->begun = true;
    g->width = g->width ? g->width : screen_width();
    while (g->lines < number)
        grow(g, answer, &answer->continuations[g->lines]);
    grow(g, answer, so_far);
    fflush(stdout);
}

/* Removes the lines from the screen, if all of them are on it: it must be high enough, and lines
 * may have been wrapped again if its width has changed. */
static bool take_back(const Growing *g)
{
    if (g->rows >= screen_height() || g->width != screen_width())
        return false;
    printf("\033[%dA\r\033[J", g->rows);
    return true;
}

/* Draws the continuations of an answer and prints them as they grow; returns the first. */
static const Continuation *print_growing(Answerer *a, Answer *answer, const Screen *screen)
{
    Growing g = {
        .answerer = a, .screen = screen, .refreshed = clock_seconds(), .texts = vocabulary_new()};
    const Continuation *first;
    answer_continue(a, answer, watch, &g);
    if (a->gaps)
        screen_status(screen, "");
    if (!g.begun || (g.repeats && take_back(&g)))
        first = answer_print_continuations(a, answer, screen);
    else {
        first = answer->continuations;
        answer_print_full(a, answer);
    }
    arrfree(g.held);
    vocabulary_free(&g.texts);
    return first;
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
        answer_print_tables(a, answer, screen);
        first = print_growing(a, answer, screen);
    }
    fflush(stdout);
    return first;
}
