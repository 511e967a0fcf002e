/* svg.c: a white ground with a title; cells and their scale. */
#include "svg.h"

#include "base/base.h"
#include "base/numbers/elementary.h"
#include "base/utf8.h"

/* A format for the beginning of a figure: width and height, both again, and the font's size; then
 * the hatching and a white ground. */
static const char BEGIN[] = SVG_BEGIN
    "%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
    "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"%g\">\n"
    "<defs><pattern id=\"unseen\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#fff\"/>"
    "<path d=\"M0 0V5\" stroke=\"#d4d4d4\" stroke-width=\"1.4\"/></pattern></defs>\n"
    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n";

void svg_word(FILE *out, const char *word, int columns)
{
    AUTOFREE char *fitted = NULL;
    FILE *text = memory_stream(&fitted, NULL);
    put_cut(text, word, columns);
    fclose(text);
    put_xml(out, fitted);
}

/* A line above all panels, at most `columns` columns wide. */
static void put_line(FILE *out, const char *text, double columns)
{
    AUTOFREE char *safe = display_text(text);
    svg_word(out, safe, (int)columns);
}

void svg_begin(FILE *out, double width, double height, double font)
{
    fprintf(out, BEGIN, width, height, width, height, font);
}

void svg_title(FILE *out, double width, const char *title, const char *run, const char *note)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" font-size=\"15\" font-weight=\"bold\">", SVG_MARGIN,
            SVG_MARGIN + 12);
    put_line(out, title, (width - 2 * SVG_MARGIN) / 9);
    fprintf(out, "</text>\n<text x=\"%g\" y=\"%g\" font-size=\"11\" fill=\"#666\">", SVG_MARGIN,
            SVG_MARGIN + 29);
    put_line(out, run, (width - 2 * SVG_MARGIN) / 7);
    fprintf(out, "%s</text>\n", note);
}

void svg_cell(FILE *out, double x, double y, double side, Colour c)
{
    fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%02x%02x%02x\"/>", x,
            y, side, side, c.red, c.green, c.blue);
}

/* In small steps, which overlap a little, so that there are no gaps. */
void svg_scale(FILE *out, double least, const char *name)
{
    enum { STEPS = 64, WIDE = 192, TALL = 10 };
    fputs("<g shape-rendering=\"crispEdges\">", out);
    for (int i = 0; i < STEPS; i++) {
        const Colour c = colour_of_signed(least + (1 - least) * (i + 0.5) / STEPS);
        fprintf(out, "<rect x=\"%g\" width=\"%g\" height=\"%d\" fill=\"#%02x%02x%02x\"/>",
                (double)i * WIDE / STEPS, (double)WIDE / STEPS + 0.3, TALL, c.red, c.green, c.blue);
    }
    fprintf(out,
            "</g>\n<g font-size=\"11\" fill=\"#444\"><text y=\"%d\">%g</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">1</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text></g>\n",
            TALL + 13, least, WIDE, TALL + 13, WIDE / 2, TALL + 13, name);
}

/* Ticks of a linear axis are the multiples of a step; those of the other one are the powers
 * of ten, and in each decade as many numbers between them as there is room for. */
double axis_step(double range, int parts)
{
    static const double steps[] = {1, 2, 5, 10};
    const double least = range / parts;
    double power = 1;
    while (power > least)
        power /= 10;
    while (10 * power <= least)
        power *= 10;
    int i = 0;
    while (i < 3 && range > parts * power * steps[i])
        i++;
    return power * steps[i];
}

/* A range of one value is made wider: it begins at 0. */
Axis axis_linear(double low, double high, int parts, bool rounded)
{
    if (high - low <= 1e-9 * fabs(high)) {
        low = fmin(low, 0);
        high = high > low ? high : low + 1;
    }
    const double step = axis_step(high - low, parts);
    Axis axis = {.low = rounded ? step * floor(low / step) : low,
                 .high = rounded ? step * ceil(high / step) : high};
    /* A little more than a range has room for what rounding lost. */
    const double first = ceil(axis.low / step - 1e-9), last = axis.high / step + 1e-9;
    while (axis.count < AXIS_MOST_TICKS && first + axis.count <= last) {
        axis.tick[axis.count] = step * (first + axis.count) + 0.0; /* not -0 */
        axis.count++;
    }
    return axis;
}

/* Puts the ticks of one kind on a logarithmic axis: in every `every`-th decade some numbers, which
 * end with 0. Returns how many there are, which may be more than there is room for. */
static int put_ticks(Axis *axis, const double *numbers, int every)
{
    int count = 0;
    double power = 1e-30;
    for (int decade = -30; power <= axis->high; decade++) {
        for (const double *number = numbers; *number && decade % every == 0; number++)
            if (power * *number >= axis->low * (1 - 1e-9) &&
                power * *number <= axis->high * (1 + 1e-9) && ++count <= AXIS_MOST_TICKS)
                axis->tick[count - 1] = power * *number;
        power *= 10;
    }
    return count;
}

Axis axis_log(double low, double high, int parts)
{
    static const double kinds[][8] = {
        {1, 1.5, 2, 3, 4, 5, 7, 0}, {1, 2, 3, 5, 0}, {1, 2, 5, 0}, {1, 3, 0}, {1, 0}};
    Axis axis = {.low = low, .high = high, .log = true};
    int kind = 0, every = 1;
    while ((axis.count = put_ticks(&axis, kinds[kind], every)) > parts + 1)
        if (kind < 4)
            kind++;
        else
            every++;
    return axis;
}

double axis_place(const Axis *axis, double value)
{
    const double place = axis->log ? value <= axis->low ? 0
                                                        : elementary_log(value / axis->low) /
                                                              elementary_log(axis->high / axis->low)
                                   : (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(place, 0), 1);
}
