/* tables.c: see tables.h. */
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/colours.h"
#include "base/display.h"

/* Columns of the screen: a word at the left, then cells. A number and its shade need five; a shade
 * alone, two. */
enum { LONGEST_WORD = 16, NUMBER = 5, WIDEST = 10, SHADE = 2 };

typedef enum { PLAIN, COLOURS_256, COLOURS_ALL } Palette;

typedef struct {
    int word, cell; /* columns */
    int from;       /* the first token that is shown: of a long text, the end */
    Palette palette;
} Fit;

static Palette palette_of(const Screen *screen)
{
    const char *depth = getenv("COLORTERM"), *kind = getenv("TERM");
    if (!*screen->bold)
        return PLAIN;
    if (depth && (!strcmp(depth, "truecolor") || !strcmp(depth, "24bit")))
        return COLOURS_ALL;
    return kind && strstr(kind, "256color") ? COLOURS_256 : PLAIN;
}

static int between(int least, int number, int most)
{
    return number > most ? most : number < least ? least : number;
}

static Fit fit_of(const Heads *heads, const Screen *screen)
{
    const int T = heads->length, width = screen_width();
    Fit fit = {.word = 1, .palette = palette_of(screen)};
    for (int i = 0; i < T; i++) {
        const int columns = display_width(heads->shown[i]);
        fit.word = columns > fit.word ? columns : fit.word;
    }
    fit.cell = between(NUMBER, fit.word + 2, WIDEST);
    fit.word = between(1, fit.word, width / 3 < LONGEST_WORD ? width / 3 : LONGEST_WORD);
    const int room = (width - fit.word - 1) / T; /* for a cell */
    if (fit.cell > room)
        fit.cell = room >= NUMBER ? room : SHADE;
    const int most = (width - fit.word - 1) / fit.cell;
    fit.from = T > most ? T - (most > 1 ? most : 1) : 0;
    return fit;
}

/* The nearest of the 6·6·6 colours that 256-colour terminals have behind the first 16. */
static int cube_of(Colour c)
{
    const int levels[] = {0, 95, 135, 175, 215, 255}, part[] = {c.red, c.green, c.blue};
    int index = 0;
    for (int i = 0; i < 3; i++) {
        int nearest = 0;
        for (int k = 1; k < 6; k++)
            if (abs(levels[k] - part[i]) < abs(levels[nearest] - part[i]))
                nearest = k;
        index = 6 * index + nearest;
    }
    return 16 + index;
}

static const char *shade_of(double weight)
{
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    return shades[(weight >= 0.05) + (weight >= 0.25) + (weight >= 0.5) + (weight >= 0.75)];
}

static void put_plain(double weight, int columns)
{
    const char *shade = shade_of(weight);
    if (columns > SHADE)
        printf("%*.0f%s", columns - 1, 100 * weight, shade);
    else
        printf("%s%s", *shade == ' ' ? "·" : shade, *shade == ' ' ? "·" : shade);
}

static void put_coloured(double weight, int columns, Palette palette)
{
    const Colour c = colour_of(weight, true);
    if (palette == COLOURS_ALL)
        printf("\033[48;2;%d;%d;%dm", c.red, c.green, c.blue);
    else
        printf("\033[48;5;%dm", cube_of(c));
    if (columns > SHADE) {
        const int behind = (columns - 3) / 2;
        printf("\033[38;5;%dm%*.0f%*s", colour_wants_white(c) ? 231 : 16, columns - behind,
               100 * weight, behind, "");
    } else {
        printf("%*s", columns, "");
    }
    printf("\033[0m");
}

/* The words above their columns: over the numbers, unless they need all the room. */
static void show_keys(const Heads *heads, const Fit *fit)
{
    printf("%*s", fit->word + 1, "");
    for (int j = fit->from; j < heads->length; j++) {
        const bool spare = display_width(heads->shown[j]) < fit->cell - 1;
        putchar(' ');
        put_fitted(stdout, heads->shown[j], fit->cell - (spare ? 2 : 1), true);
        if (spare && j + 1 < heads->length)
            putchar(' ');
    }
    putchar('\n');
}

void tables_show(const Heads *heads, int layer, int head, const Screen *screen)
{
    const Fit fit = fit_of(heads, screen);
    const int T = heads->length;
    printf("\n%slayer %d, head %d%s\n", screen->bold, layer + 1, head + 1, screen->plain);
    if (fit.cell > SHADE)
        show_keys(heads, &fit);
    for (int i = fit.from; i < T; i++) {
        const Real *row = ROW(head_weights(heads, layer, head), i, T);
        const int first = head_first_key(heads, layer, head, i);
        put_fitted(stdout, heads->shown[i], fit.word, true);
        putchar(' ');
        for (int j = fit.from; j <= i; j++)
            if (j < first)
                printf("%*s", fit.cell, "");
            else if (fit.palette == PLAIN)
                put_plain((double)row[j], fit.cell);
            else
                put_coloured((double)row[j], fit.cell, fit.palette);
        putchar('\n');
    }
}

void tables_note(const Heads *heads, const Screen *screen)
{
    const Fit fit = fit_of(heads, screen);
    const int T = heads->length;
    if (fit.cell == SHADE && fit.from)
        printf("\nshown: the last %d of %d tokens, without numbers; "
               "-o attention.html shows all\n",
               T - fit.from, T);
    else if (fit.cell == SHADE)
        printf("\nnumbers do not fit; -o attention.html shows them\n");
    if (fit.cell == SHADE && fit.palette == PLAIN)
        printf("·· under 5%%, ░░ under 25%%, ▒▒ under 50%%, "
               "▓▓ under 75%%, ██ more\n");
}

static void put_share(double share)
{
    if (isnan(share))
        printf("%8s", "-");
    else
        printf("%7.0f%%", 100 * share);
}

void tables_summarise(const Heads *heads)
{
    bool windows = false;
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++)
            windows |= pattern_window_size(head_pattern(heads, l, h)) != 0;
    printf("layer  head%s  entropy/bits  looks back  itself  before%s\n", windows ? "  window" : "",
           heads->begun ? "   [bos]" : "");
    for (int l = heads->layer.from; l < heads->layer.end; l++)
        for (int h = heads->head.from; h < heads->head.end; h++) {
            const HeadSummary s = head_summary(heads, l, h);
            const int window = pattern_window_size(head_pattern(heads, l, h));
            printf("%5d %5d", l + 1, h + 1);
            if (windows && window)
                printf("%8d", window);
            else if (windows)
                printf("%8s", "all");
            printf("%14.2f%12.2f", s.entropy, s.back);
            put_share(s.itself);
            put_share(s.before);
            if (heads->begun)
                put_share(s.bos);
            putchar('\n');
        }
}
