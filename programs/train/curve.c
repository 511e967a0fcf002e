/* curve.c: above the losses, below them the learning rate, over the same steps. Lines are named at
 * their right ends, with their last values; what they mean stands in the key. */
#include "curve.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/language.h"
#include "base/numbers/elementary.h"
#include "base/utf8.h"
#include "programs/pictures/svg.h"

/* ---- What was logged ---- */

static void join(CurvePoint *a, const CurvePoint *b)
{
    if (!b->count)
        return;
    a->least = a->count ? fmin(a->least, b->least) : b->least;
    a->most = a->count ? fmax(a->most, b->most) : b->most;
    a->count += b->count;
    a->steps += b->steps;
    a->values += b->values;
}

/* Makes one point of each two. */
static void widen(CurveLine *line)
{
    line->wide *= 2;
    for (int i = 0; i < CURVE_POINTS; i++) {
        CurvePoint both = {0};
        for (int j = 2 * i; j < 2 * i + 2 && j < CURVE_POINTS; j++)
            join(&both, &line->at[j]);
        line->at[i] = both;
    }
}

void curve_add(CurveLine *line, int64_t step, double value)
{
    if (step < 0 || !isfinite(value))
        return;
    const bool begins = !line->wide;
    if (begins) {
        line->wide = 1;
        line->first = step;
    }
    while (step / line->wide >= CURVE_POINTS)
        widen(line);
    join(&line->at[step / line->wide], &(CurvePoint){1, (double)step, value, value, value});
    if (begins || value < line->minimum) {
        line->minimum = value;
        line->best = step;
    }
    line->last = step;
}

double point_mean(const CurvePoint *point)
{
    return point->values / (double)point->count;
}

double point_step(const CurvePoint *point)
{
    return point->steps / (double)point->count;
}

bool curve_is_empty(const Curve *curve)
{
    return !curve->loss.wide && !curve->evaluated.wide;
}

/* ---- Its axes ---- */

/* From 0, unless the log begins late: another one was lost. */
static Axis steps_of(const CurveNamed *lines, int count, int parts)
{
    int64_t first = INT64_MAX, last = 0;
    for (int i = 0; i < count; i++)
        if (lines[i].line->wide) {
            first = min_int64(first, lines[i].line->first);
            last = max_int64(last, lines[i].line->last);
        }
    last = max_int64(last, 1);
    first = first > last / 4 && first < last ? first : 0;
    return axis_linear((double)first, (double)last, (int)min_int64(parts, last - first), false);
}

/* Logarithms have no place for 0, nor would they leave much for other losses if one is nearly 0. */
static const double LEAST_LOGGED = 1e-7;

static double most_of(const CurveLine *line)
{
    double most = 0;
    EACH_POINT (point, line)
        most = fmax(most, point_mean(point));
    return most;
}

/* The means decide, so that a single step that is far off does not stretch the axis. `across` are
 * the floor and what counting reaches, or NAN. */
static Axis losses_of(const CurveNamed *lines, int count, const double across[2], int parts)
{
    double low = INFINITY, high = fmax(0, across[1]);
    for (int i = 0; i < count; i++) {
        high = fmax(high, most_of(lines[i].line));
        EACH_POINT (point, lines[i].line)
            low = fmin(low, fmax(point_mean(point), LEAST_LOGGED));
    }
    low = isinf(low) ? high : low; /* nothing was evaluated */
    const bool log = high >= 10 * low && low > 0;
    double least = low;
    for (int i = 0; i < 2; i++)
        if (!log || across[i] >= low / 10)
            least = fmin(least, across[i]);
    return log ? axis_log(0.9 * least, 1.1 * high, parts) : axis_linear(least, high, parts, true);
}

#define LINES_OF(c) ((const CurveNamed[]){{.line = &(c)->loss}, {.line = &(c)->evaluated}})

Axis curve_steps(const Curve *c, int parts)
{
    return steps_of(LINES_OF(c), 2, parts);
}

Axis curve_losses(const Curve *c, int parts)
{
    return losses_of(LINES_OF(c), 2, (const double[]){c->floor, c->counting}, parts);
}

bool curve_shows(const Axis *losses, double loss)
{
    return loss >= losses->low && loss <= losses->high;
}

/* ---- The names at the ends of lines ---- */

/* The mean of the last point; 0 if there is none. */
static double end_of(const CurveLine *line)
{
    return line->wide ? point_mean(&line->at[line->last / line->wide]) : 0;
}

int curve_names(const Curve *c, const Axis *losses, double tall, double apart,
                CurveName names[CURVE_KINDS])
{
    const CurveName all[] = {{CURVE_LOSS, N_("each step"), end_of(&c->loss), 0},
                             {CURVE_EVALUATED, c->text, end_of(&c->evaluated), 0},
                             {CURVE_FLOOR, N_("floor"), c->floor, 0},
                             {CURVE_COUNTING, N_("counting"), c->counting, 0}};
    const bool shown[] = {c->loss.wide, c->evaluated.wide, curve_shows(losses, c->floor),
                          curve_shows(losses, c->counting)};
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (shown[i]) {
            CurveName name = all[i];
            name.y = tall * (1 - axis_place(losses, name.value));
            int at = count++;
            for (; at && names[at - 1].y > name.y; at--)
                names[at] = names[at - 1];
            names[at] = name;
        }
    for (int i = 1; i < count; i++)
        names[i].y = fmax(names[i].y, names[i - 1].y + apart);
    for (int i = count; i--;)
        names[i].y = fmin(names[i].y, tall - apart * (count - 1 - i));
    return count;
}

/* ---- Drawing ---- */

/* Sizes in pixels: the charts of losses and of the rate; LEFT and RIGHT are the room for numbers
 * and names beside them. */
static const double MARGIN = 24, LEFT = 52, RIGHT = 132, TOP = 84, WIDE = 540, TALL = 260, GAP = 34,
                    RATE = 64, BELOW = 44;

/* How lines look: in the figure; and on a terminal without UTF-8, on others, and in which colour.
 * Blue and orange differ to everyone's eyes, and in lightness. The line of the evaluations is
 * thinner and drawn over the other, which is still seen if both are equal. */
typedef struct {
    const char *colour, *width, *dashes;
    const char *ascii, *utf8, *ink;
} Look;
static const Look LOOKS[] = {[CURVE_NOTHING] = {"", "", "", " ", " ", ""},
                             [CURVE_FLOOR] = {"#3a7d44", "1.4", "6 4", "-", "╌", "\033[32m"},
                             [CURVE_COUNTING] = {"#444", "1.4", "6 3", "=", "╍", "\033[33m"},
                             [CURVE_LOSS] = {"#2b3a8c", "2.6", "none", ".", "⠤", "\033[36m"},
                             [CURVE_EVALUATED] = {"#d9480f", "1.4", "none", "o", "●", "\033[35m"}};
static const Look RATE_LOOK = {.colour = "#555", .width = "1.6", .dashes = "none"};
#define BAND_COLOUR "#c9d7ea"

/* A chart: its axes, and its height; the origin is its upper left corner. */
typedef struct {
    Axis steps, values;
    double tall;
} Chart;

static double x_of(const Chart *chart, double step)
{
    return WIDE * axis_place(&chart->steps, step);
}

static double y_of(const Chart *chart, double value)
{
    return chart->tall * (1 - axis_place(&chart->values, value));
}

/* The lines of both axes' ticks, and the numbers of the upright one; the chart's name above. */
static void put_grid(FILE *out, const Chart *chart, const char *name)
{
    fprintf(out, "<text y=\"-10\" font-weight=\"bold\" font-size=\"12\" fill=\"#000\">%s</text>\n",
            name);
    for (int i = 0; i < chart->steps.count; i++)
        fprintf(out, "<path d=\"M%.1f 0V%g\" stroke=\"#eee\"/>", x_of(chart, chart->steps.tick[i]),
                chart->tall);
    for (int i = 0; i < chart->values.count; i++) {
        const double y = y_of(chart, chart->values.tick[i]);
        fprintf(out,
                "<path d=\"M0 %.1fH%g\" stroke=\"#ddd\"/>"
                "<text x=\"-7\" y=\"%.1f\" text-anchor=\"end\">%g</text>",
                y, WIDE, y + 4, chart->values.tick[i]);
    }
    fprintf(out, "<path d=\"M0 0V%gH%g\" fill=\"none\" stroke=\"#888\"/>\n", chart->tall, WIDE);
}

/* The numbers of the steps, below a chart. */
static void put_steps(FILE *out, const Chart *chart)
{
    for (int i = 0; i < chart->steps.count; i++)
        fprintf(out, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.10g</text>",
                x_of(chart, chart->steps.tick[i]), chart->tall + 16, chart->steps.tick[i]);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", WIDE / 2,
            chart->tall + 34, _("step"));
}

/* Whether a point stands for more than one value. */
static bool has_means(const CurveLine *line)
{
    bool has = false;
    EACH_POINT (point, line)
        has |= point->count > 1;
    return has;
}

/* Draws an area along the maxima and back along the minima.
 * A point of one value adds nothing. */
static void put_band(FILE *out, const Chart *chart, const CurveLine *line)
{
    const char *begin = "<path fill=\"" BAND_COLOUR "\" d=\"M";
    EACH_POINT (point, line) {
        fprintf(out, "%s%.1f %.1f", begin, x_of(chart, point_step(point)),
                y_of(chart, point->most));
        begin = "L";
    }
    for (const CurvePoint *point = line->at + CURVE_POINTS; point-- > line->at;)
        if (point->count)
            fprintf(out, "L%.1f %.1f", x_of(chart, point_step(point)), y_of(chart, point->least));
    fputs("Z\"/>\n", out);
}

/* The attributes of a line, inside its element. */
static void put_look(FILE *out, const Look *look)
{
    fprintf(out, "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\"",
            look->colour, look->width, look->dashes);
}

/* The means; dots on them if they are few, which a single one needs to be seen. */
static void put_line(FILE *out, const Chart *chart, const CurveLine *line, const Look *look,
                     int most_dots)
{
    int count = 0;
    fputs("<path ", out);
    put_look(out, look);
    fputs(" stroke-linejoin=\"round\" d=\"", out);
    EACH_POINT (point, line)
        fprintf(out, "%c%.1f %.1f", count++ ? 'L' : 'M', x_of(chart, point_step(point)),
                y_of(chart, point_mean(point)));
    fprintf(out, "\"/>\n<g fill=\"%s\">", look->colour);
    EACH_POINT (point, line)
        if (count <= most_dots)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\"/>",
                    x_of(chart, point_step(point)), y_of(chart, point_mean(point)));
    fputs("</g>\n", out);
}

/* ---- The two charts ---- */

/* The floor, or counting, if it is within the chart. */
static void put_across(FILE *out, const Chart *chart, CurveKind kind, double loss)
{
    if (!curve_shows(&chart->values, loss))
        return;
    fputs("<path ", out);
    put_look(out, &LOOKS[kind]);
    fprintf(out, " d=\"M0 %.1fH%g\"/>\n", y_of(chart, loss), WIDE);
}

/* The best evaluation has a circle around it, unless it was the last. */
static void put_losses(FILE *out, const Curve *c, const Chart *chart)
{
    CurveName names[CURVE_KINDS];
    const int count = curve_names(c, &chart->values, TALL, 14, names);
    put_grid(out, chart, chart->values.log ? _("loss (logarithmic)") : _("loss"));
    if (has_means(&c->loss))
        put_band(out, chart, &c->loss);
    put_across(out, chart, CURVE_FLOOR, c->floor);
    put_across(out, chart, CURVE_COUNTING, c->counting);
    put_line(out, chart, &c->loss, &LOOKS[CURVE_LOSS], 1);
    put_line(out, chart, &c->evaluated, &LOOKS[CURVE_EVALUATED], 64);
    if (c->evaluated.wide && c->evaluated.best != c->evaluated.last) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" ",
                x_of(chart, (double)c->evaluated.best), y_of(chart, c->evaluated.minimum));
        put_look(out, &LOOKS[CURVE_EVALUATED]);
        fputs("/>\n", out);
    }
    for (int i = 0; i < count; i++)
        fprintf(out, "<text x=\"%g\" y=\"%.1f\" fill=\"%s\" font-weight=\"bold\">%s %.4g</text>\n",
                WIDE + 8, names[i].y + 4, LOOKS[names[i].kind].colour, translated(names[i].name),
                names[i].value);
}

/* ---- The key ---- */

/* A sample of a line and what it means, as far as there is room; the next one stands below it.
 * Frees the meaning. */
static void put_sample(FILE *out, int *row, const Look *look, char *meaning)
{
    const int y = 16 * (*row)++;
    fputs("<path ", out);
    put_look(out, look);
    fprintf(out, " d=\"M0 %dH22\"/><text x=\"30\" y=\"%d\" fill=\"#444\">", y, y + 4);
    svg_word(out, meaning, 110);
    fputs("</text>\n", out);
    free(meaning);
}

static void put_key(FILE *out, const Curve *c, const Chart *chart)
{
    int row = 0;
    if (c->loss.wide)
        put_sample(out, &row, &LOOKS[CURVE_LOSS],
                   format_text("%s", has_means(&c->loss)
                                         ? _("each step: the loss of its own sequences, a mean of "
                                             "several steps; lighter: from least to most")
                                         : _("each step: the loss of its own sequences")));
    if (c->evaluated.wide)
        put_sample(out, &row, &LOOKS[CURVE_EVALUATED],
                   format_text(_("%s: the least is %.6g, after step %" PRId64), translated(c->text),
                               c->evaluated.minimum, c->evaluated.best));
    if (!isnan(c->floor))
        put_sample(
            out, &row, &LOOKS[CURVE_FLOOR],
            format_text(curve_shows(&chart->values, c->floor)
                            ? _("floor: the lowest loss that %s allows, %.6g")
                            : _("floor: the lowest loss that %s allows, %.6g, is below this chart"),
                        translated(c->floor_of), c->floor));
    if (!isnan(c->counting))
        put_sample(out, &row, &LOOKS[CURVE_COUNTING],
                   format_text(curve_shows(&chart->values, c->counting)
                                   ? _("counting: its loss on the held-out part, %.6g")
                                   : _("counting: its loss on the held-out part, %.6g, is below "
                                       "this chart"),
                               c->counting));
}

/* From top to bottom: the title, the losses, the rate, the steps, the key. */
void curve_write(FILE *out, const Curve *c)
{
    const double width = MARGIN + LEFT + WIDE + RIGHT, rate = TOP + TALL + GAP,
                 key = rate + RATE + BELOW + 16, tall = isnan(c->counting) ? 40 : 56,
                 height = key + tall + MARGIN;
    const Axis steps = curve_steps(c, 8);
    const Chart losses = {steps, curve_losses(c, 6), TALL};
    const Chart rates = {steps, axis_linear(0, c->rate.wide ? most_of(&c->rate) : 0, 2, true),
                         RATE};
    svg_begin(out, width, height, 11);
    svg_title(out, width, _("Loss over the steps"), c->run, "");
    fprintf(out, "<g transform=\"translate(%g,%g)\" fill=\"#444\">\n", MARGIN + LEFT, TOP);
    put_losses(out, c, &losses);
    fprintf(out, "</g>\n<g transform=\"translate(%g,%g)\" fill=\"#444\">\n", MARGIN + LEFT, rate);
    put_grid(out, &rates, _("learning rate"));
    put_line(out, &rates, &c->rate, &RATE_LOOK, 1);
    put_steps(out, &rates);
    fprintf(out, "</g>\n<g transform=\"translate(%g,%g)\">\n", MARGIN + LEFT, key);
    put_key(out, c, &losses);
    fputs("</g>\n</svg>\n", out);
}

/* ---- Several runs ---- */

/* Colours that differ to everyone's eyes (Okabe and Ito); after the last one the lines are dashed,
 * then dotted. */
static Look look_of(int run)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#000000"};
    static const char *const dashes[] = {"none", "6 3", "2 3"};
    return (Look){.colour = colours[run % 7], .width = "1.6", .dashes = dashes[run / 7 % 3]};
}

/* From top to bottom: the title, the losses, the steps, a key with a row for each run. */
void curves_write(FILE *out, const CurveNamed *lines, int count)
{
    const double width = MARGIN + LEFT + WIDE + RIGHT, key = TOP + TALL + BELOW + 16;
    const Chart chart = {steps_of(lines, count, 8),
                         losses_of(lines, count, (const double[]){NAN, NAN}, 6), TALL};
    svg_begin(out, width, key + 16 * count + MARGIN, 11);
    svg_title(out, width, _("Evaluated loss over the steps"), "", "");
    fprintf(out, "<g transform=\"translate(%g,%g)\" fill=\"#444\">\n", MARGIN + LEFT, TOP);
    put_grid(out, &chart, chart.values.log ? _("loss (logarithmic)") : _("loss"));
    put_steps(out, &chart);
    for (int i = 0; i < count; i++) {
        const Look look = look_of(i);
        put_line(out, &chart, lines[i].line, &look, 1);
    }
    fprintf(out, "</g>\n<g transform=\"translate(%g,%g)\">\n", MARGIN + LEFT, key);
    for (int i = 0, row = 0; i < count; i++) {
        const Look look = look_of(i);
        put_sample(out, &row, &look,
                   format_text("%s%s%s", lines[i].run, lines[i].about ? ": " : "",
                               lines[i].about ? lines[i].about : ""));
    }
    fputs("</g>\n</svg>\n", out);
}

/* ---- On a terminal ---- */

/* The plot is a grid of cells, each with a character or, in UTF-8, the eight dots of a Braille
 * pattern, two wide and four high. First the floor and counting are drawn, then the losses of the
 * steps as a line, then each evaluation as a mark:
 *
 *        4┤ ●⠈⠢●⣀
 *         │      ●⠒●⠤●⣀⣀●⣀●
 *        2┤                ⠉●⠒⠤●⣀⣀●  ● held-out 2.968
 *         │                          ⠤ each step 2.339
 *        0┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ ╌ floor 0.511
 *         └┬──────────┬──────────┬──
 *          0         100        200  step
 *  */

/* Lines, and columns for the numbers on the left and for the names on the right. */
enum { LINES = 10, NUMBER = 8, NAME = 24, LEAST_WIDE = 16, MOST_WIDE = 160 };

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

static void dot_across(Plot *p, CurveKind kind, double loss)
{
    if (curve_shows(&p->losses, loss))
        for (int x = 0; x < p->wide; x++)
            p->cell[line_of(p, loss)][x].kind = (uint8_t)kind;
}

/* A straight line from one point to the next, without gaps, in dots: x from the left and y from
 * above. */
static void put_stroke(Plot *p, const double from[2], const double to[2])
{
    static const uint8_t dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int across = p->utf8 ? 2 : 1, down = p->utf8 ? 4 : 1; /* dots of a cell */
    const int x[] = {place_of(from[0], across * p->wide), place_of(to[0], across * p->wide)};
    const int y[] = {place_of(from[1], down * LINES), place_of(to[1], down * LINES)};
    const int parts = max_int(max_int(x[1] - x[0], abs(y[1] - y[0])), 1);
    for (int i = 0; i <= parts; i++) {
        const int column = x[0] + (x[1] - x[0]) * i / parts,
                  line = y[0] + (y[1] - y[0]) * i / parts;
        p->cell[line / down][column / across].kind = CURVE_LOSS;
        p->cell[line / down][column / across].dots |= dots[line % down][column % across];
    }
}

static void dot_losses(Plot *p)
{
    double from[2] = {NAN};
    EACH_POINT (point, &p->curve->loss) {
        const double to[2] = {axis_place(&p->steps, point_step(point)),
                              1 - axis_place(&p->losses, point_mean(point))};
        put_stroke(p, isnan(from[0]) ? to : from, to);
        memcpy(from, to, sizeof from);
    }
}

/* ---- Printing ---- */

/* Goes on in the colour of a kind; *now is the one before. CURVE_NOTHING has none. */
static void change_colour(const Plot *p, CurveKind *now, CurveKind kind)
{
    if (*p->screen->bold && *now != kind)
        printf("%s%s", *now == CURVE_NOTHING ? "" : p->screen->plain, LOOKS[kind].ink);
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

static void print_lines(const Plot *p)
{
    CurveName names[CURVE_KINDS] = {{0}};
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
        if (named) {
            const CurveName *name = &names[next++];
            printf(" ");
            change_colour(p, &now, name->kind);
            printf("%s", p->utf8 ? LOOKS[name->kind].utf8 : LOOKS[name->kind].ascii);
            change_colour(p, &now, CURVE_NOTHING);
            printf(" %s %.4g", translated(name->name), name->value);
        }
        change_colour(p, &now, CURVE_NOTHING);
        printf("\n");
    }
}

/* The axis of the steps and, below it, each number around its column if there is a blank before
 * it. */
static void print_steps(const Plot *p)
{
    char numbers[MOST_WIDE + 24], number[24];
    bool ticks[MOST_WIDE] = {false};
    int end = 0; /* of the last number */
    memset(numbers, ' ', sizeof numbers);
    for (int i = 0; i < p->steps.count; i++) {
        const int column = column_of(p, p->steps.tick[i]);
        const int length = snprintf(number, sizeof number, "%.10g", p->steps.tick[i]);
        const int from = max_int(column - length / 2, 0);
        ticks[column] = true;
        if (end && from <= end)
            continue;
        memcpy(numbers + from, number, (size_t)length);
        end = from + length;
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
    const char *locale = locale_named("LC_CTYPE");
    Plot p = {.curve = curve,
              .screen = screen,
              .utf8 = strcasestr(locale, "utf-8") || strcasestr(locale, "utf8")};
    p.wide = min_int(max_int(screen_width() - NUMBER - NAME - 2, LEAST_WIDE), MOST_WIDE);
    p.steps = curve_steps(curve, max_int(p.wide / 10, 2));
    p.losses = curve_losses(curve, 4);
    dot_across(&p, CURVE_FLOOR, curve->floor);
    dot_across(&p, CURVE_COUNTING, curve->counting);
    dot_losses(&p);
    EACH_POINT (point, &curve->evaluated)
        p.cell[line_of(&p, point_mean(point))][column_of(&p, point_step(point))].kind =
            CURVE_EVALUATED;
    screen_paragraph(screen, "plot",
                     p.losses.log ? N_("the loss over the steps, logarithmic; larger in %s")
                                  : N_("the loss over the steps; larger in %s"),
                     curve_path);
    print_lines(&p);
    print_steps(&p);
    printf("\n");
}
