/* svg.h: what the figures for paper share, in SVG. A figure begins with svg_begin() and ends with
 * "</svg>\n". */
#ifndef PULGA_SVG_H
#define PULGA_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "colours.h"

/* What every figure begins with. */
#define SVG_BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""

/* What is left free around everything, in pixels. */
#define SVG_MARGIN 24.0

/* Its size in pixels, and that of the letters. */
void svg_begin(FILE *out, double width, double height, double font);

/* The title, and in small letters the model's directory with a note after it, at the top. */
void svg_title(FILE *out, double width, const char *title, const char *run, const char *note);

/* A word; if it takes more than `columns` columns, it is cut and ends with … */
void svg_word(FILE *out, const char *word, int columns);

void svg_cell(FILE *out, double x, double y, double side, Colour colour);

/* The scale of colours from `least`, 0 or -1, to 1: 192 wide, 24 high. */
void svg_scale(FILE *out, double least, const char *name);

/* An axis of a chart: which values it spans, linear or by their logarithms, and the round
 * numbers that stand along it. */
enum { AXIS_MOST_TICKS = 64 };

typedef struct {
    double low, high;
    bool log;
    int count;
    double tick[AXIS_MOST_TICKS];
} Axis;

/* The first of …, 0.5, 1, 2, 5, 10, 20, … that cuts a range into at most `parts` parts. */
double axis_step(double range, int parts);

/* From low to high, or to the next ticks beyond them if `rounded`; with at most about `parts` parts
 * between ticks. */
Axis axis_linear(double low, double high, int parts, bool rounded);

/* A logarithmic axis, for what spans powers of ten: 0 < low < high. */
Axis axis_log(double low, double high, int parts);

/* Where a value stands: 0 is the axis' beginning, 1 its end; values beyond them stand there. */
double axis_place(const Axis *axis, double value);

#endif
