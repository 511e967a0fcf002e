/* axis.h: an axis of a chart: which values it spans, linear or by their logarithms, and the round
 * numbers that stand along it. */
#ifndef PULGA_AXIS_H
#define PULGA_AXIS_H

#include <stdbool.h>

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
