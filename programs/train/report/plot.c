/* plot.c: the plot is a grid of cells, each with a character or, in UTF-8, the eight dots of a
 * Braille pattern, two wide and four high. First the floor and counting are drawn, then the losses
 * of the steps as a line, then each evaluation as a mark:
 *
 *        4┤ ●⠈⠢●⣀
 *         │      ●⠒●⠤●⣀⣀●⣀●
 *        2┤                ⠉●⠒⠤●⣀⣀●  ● held-out 2.968
 *         │                          ⠤ each step 2.339
 *        0┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ╌ floor 0.511
 *         └┬──────────┬──────────┬──
 *          0         100        200  step
 */
#include "plot.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/language.h"
#include "base/utf8.h"

/* Lines, and columns for the numbers on the left and for the names on the right. */
enum { LINES = 10, NUMBER = 8, NAME = 24, LEAST_WIDE = 16, MOST_WIDE = 160 };

/* How each is drawn: what a terminal without UTF-8 shows, what others do, and a colour. */
static const struct {
    const char *ascii, *utf8, *colour;
} LOOKS[CURVE_KINDS] = {[CURVE_NOTHING] = {" ", " ", ""},
                        [CURVE_FLOOR] = {"-", "╌", "\033[32m"},
                        [CURVE_COUNTING] = {"=", "╍", "\033[33m"},
                        [CURVE_LOSS] = {".", "⠤", "\033[36m"},
                        [CURVE_EVALUATED] = {"o", "●", "\033[35m"}};

typedef struct {
    const Curve *curve;
    const Screen *screen;
    bool utf8;
    int wide; /* cells of a line */
    Axis steps, losses;
    struct {
        uint8_t kind, dots; /* dots: the pattern's, as in Unicode from U+2800 on */
    } cell[LINES][MOST_WIDE];
} Plot;

static bool is_utf8(void)
{
    const char *locale = locale_named("LC_CTYPE");
    return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

/* ---- Drawing into the cells ---- */

/* Which of `count` cells or dots has a place between 0 and 1. */
static int place_of(double place, int count)
{
    return (int)(place * (count - 1) + 0.5);
}

static int column_of(const Plot *p, double step)
{
    return place_of(axis_place(&p->steps, step), p->wide);
}

static int line_of(const Plot *p, double loss)
{
    return place_of(1 - axis_place(&p->losses, loss), LINES);
}

static void put_across(Plot *p, CurveKind kind, double loss)
{
    if (curve_shows(&p->losses, loss))
        for (int x = 0; x < p->wide; x++)
            p->cell[line_of(p, loss)][x].kind = (uint8_t)kind;
}

/* One dot of the line: x from the left and y from above, both counted in dots. */
static void put_dot(Plot *p, int x, int y)
{
    static const uint8_t dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int across = p->utf8 ? 2 : 1, down = p->utf8 ? 4 : 1;
    p->cell[y / down][x / across].kind = CURVE_LOSS;
    p->cell[y / down][x / across].dots |= dots[y % down][x % across];
}

/* A straight line from one point to the next, without gaps. */
static void put_stroke(Plot *p, const double from[2], const double to[2])
{
    const int across = p->utf8 ? 2 * p->wide : p->wide, down = p->utf8 ? 4 * LINES : LINES;
    const int x[] = {place_of(from[0], across), place_of(to[0], across)};
    const int y[] = {place_of(from[1], down), place_of(to[1], down)};
    const int parts = max_int(max_int(x[1] - x[0], abs(y[1] - y[0])), 1);
    for (int i = 0; i <= parts; i++)
        put_dot(p, x[0] + (x[1] - x[0]) * i / parts, y[0] + (y[1] - y[0]) * i / parts);
}

static void put_losses(Plot *p)
{
    double from[2] = {NAN};
    EACH_POINT (point, &p->curve->loss) {
        const double to[2] = {axis_place(&p->steps, point_step(point)),
                              1 - axis_place(&p->losses, point_mean(point))};
        put_stroke(p, isnan(from[0]) ? to : from, to);
        memcpy(from, to, sizeof from);
    }
}

static void put_evaluations(Plot *p)
{
    EACH_POINT (point, &p->curve->evaluated)
        p->cell[line_of(p, point_mean(point))][column_of(p, point_step(point))].kind =
            CURVE_EVALUATED;
}

/* ---- Printing ---- */

/* Goes on in the colour of a kind; *now is the one before. CURVE_NOTHING has none. */
static void change_colour(const Plot *p, CurveKind *now, CurveKind kind)
{
    if (*p->screen->bold && *now != kind)
        printf("%s%s", *now == CURVE_NOTHING ? "" : p->screen->plain, LOOKS[kind].colour);
    *now = kind;
}

static void print_cell(const Plot *p, int line, int column, CurveKind *now)
{
    const CurveKind kind = (CurveKind)p->cell[line][column].kind;
    char dots[5] = "";
    change_colour(p, now, kind);
    if (kind == CURVE_LOSS && p->utf8)
        utf8_put(dots, 0x2800 + p->cell[line][column].dots);
    printf("%s", *dots ? dots : p->utf8 ? LOOKS[kind].utf8 : LOOKS[kind].ascii);
}

/* The number of a line that has a tick, and the axis. Ticks that fall on one line share it. */
static void print_number(const Plot *p, int line)
{
    char number[16] = "";
    for (int i = 0; i < p->losses.count && !*number; i++)
        if (line_of(p, p->losses.tick[i]) == line)
            snprintf(number, sizeof number, "%g", p->losses.tick[i]);
    printf("%*s%s", NUMBER, number, !p->utf8 ? "|" : *number ? "┤" : "│");
}

static void print_name(const Plot *p, const CurveName *name, CurveKind *now)
{
    printf(" ");
    change_colour(p, now, name->kind);
    printf("%s", p->utf8 ? LOOKS[name->kind].utf8 : LOOKS[name->kind].ascii);
    change_colour(p, now, CURVE_NOTHING);
    printf(" %s %.4g", translated(name->name), name->value);
}

static void print_lines(const Plot *p)
{
    CurveName names[CURVE_KINDS];
    const int count = curve_names(p->curve, &p->losses, LINES - 1, 1, names);
    for (int line = 0, next = 0; line < LINES; line++) {
        const bool named = next < count && (int)(names[next].y + 0.5) == line;
        CurveKind now = CURVE_NOTHING;
        int end = p->wide;
        while (end && !named && !p->cell[line][end - 1].kind)
            end--; /* no blanks at the end of a line */
        print_number(p, line);
        for (int column = 0; column < end; column++)
            print_cell(p, line, column, &now);
        if (named)
            print_name(p, &names[next++], &now);
        change_colour(p, &now, CURVE_NOTHING);
        printf("\n");
    }
}

/* Writes a number around its column, if there is a blank before it. *end is where the last one
 * ended. */
static void put_step(char *numbers, int *end, int column, double step)
{
    char number[24];
    const int length = snprintf(number, sizeof number, "%.10g", step);
    const int from = max_int(column - length / 2, 0);
    if (*end && from <= *end)
        return;
    memcpy(numbers + from, number, (size_t)length);
    *end = from + length;
}

/* The axis of the steps, and its numbers below it. */
static void print_steps(const Plot *p)
{
    char numbers[MOST_WIDE + 24];
    bool ticks[MOST_WIDE] = {false};
    int end = 0;
    memset(numbers, ' ', sizeof numbers);
    for (int i = 0; i < p->steps.count; i++) {
        const int column = column_of(p, p->steps.tick[i]);
        ticks[column] = true;
        put_step(numbers, &end, column, p->steps.tick[i]);
    }
    printf("%*s%s", NUMBER, "", p->utf8 ? "└" : "+");
    for (int column = 0; column < p->wide; column++)
        printf("%s", p->utf8 ? ticks[column] ? "┬" : "─" : ticks[column] ? "+" : "-");
    printf("\n%*s%.*s  %s\n", NUMBER + 1, "", end, numbers, _("step"));
}

/* plot    the loss over the steps, logarithmic; larger in runs/perro/curve.svg */
void plot_print(const Curve *curve, const Screen *screen, const char *curve_path)
{
    if (!curve->loss.wide)
        return;
    Plot p = {.curve = curve, .screen = screen, .utf8 = is_utf8()};
    p.wide = min_int(max_int(screen_width() - NUMBER - NAME - 2, LEAST_WIDE), MOST_WIDE);
    p.steps = curve_steps(curve, max_int(p.wide / 10, 2));
    p.losses = curve_losses(curve, 4);
    put_across(&p, CURVE_FLOOR, curve->floor);
    put_across(&p, CURVE_COUNTING, curve->counting);
    put_losses(&p);
    put_evaluations(&p);
    if (p.losses.log)
        screen_paragraph(screen, "plot", "the loss over the steps, logarithmic; larger in %s",
                         curve_path);
    else
        screen_paragraph(screen, "plot", "the loss over the steps; larger in %s", curve_path);
    print_lines(&p);
    print_steps(&p);
    printf("\n");
}
