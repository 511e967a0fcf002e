/* curve.h: how the losses and the learning rate of a run went, as a figure in SVG, which a run
 * writes as curve.svg. The rows of log.csv are put in one after another. In a long run, rows that
 * follow each other are drawn as one point, so that the figure has a bounded size, and each row
 * costs the same, however many there are. */
#ifndef PULGA_CURVE_H
#define PULGA_CURVE_H

#include <stdint.h>
#include <stdio.h>

#include "programs/pictures/svg.h"
#include "programs/terminal/screen.h"

enum { CURVE_POINTS = 512 };

/* Values of steps that are next to each other: sums, for the mean, and the extremes. */
typedef struct {
    int64_t count;
    double steps, values;
    double least, most;
} CurvePoint;

/* One line of the figure. Point i has the steps from i · wide to (i + 1) · wide − 1; if there is no
 * point for a step, each two become one. */
typedef struct {
    CurvePoint at[CURVE_POINTS];
    int64_t wide;              /* 0 while there is no value */
    int64_t first, last, best; /* steps: the first one, the last one, that of the least value */
    double minimum;
} CurveLine;

typedef struct {
    CurveLine loss, evaluated, rate;
    const char *run;      /* the directory */
    const char *text;     /* what was evaluated: "held-out" or "all text" */
    double floor;         /* NAN if it is not known */
    double counting;      /* what counting reaches on the held-out part; NAN if it is not known */
    const char *floor_of; /* what has this floor: "the text" */
} Curve;

/* What is not finite, or not of a step, is left out. */
void curve_add(CurveLine *line, int64_t step, double value);

/* The mean of a point, which has values, and the mean of their steps. */
double point_mean(const CurvePoint *point);
double point_step(const CurvePoint *point);

/* The points of a line that have values. */
#define EACH_POINT(point, line)                                                            \
    for (const CurvePoint *point = (line)->at; point < (line)->at + CURVE_POINTS; point++) \
        if (point->count)

/* Whether there is anything to draw. */
bool curve_is_empty(const Curve *curve);

/* The axes: of the steps, and of the losses, which is logarithmic if the largest is ten times the
 * least or more. */
Axis curve_steps(const Curve *curve, int parts);
Axis curve_losses(const Curve *curve, int parts);

/* Whether a loss, that of the floor or of counting, is within the losses' axis. */
bool curve_shows(const Axis *losses, double loss);

/* What stands at the right end of a line: its name and the last value, or the mean of the last
 * point. */
typedef enum {
    CURVE_NOTHING,
    CURVE_FLOOR,
    CURVE_COUNTING,
    CURVE_LOSS,
    CURVE_EVALUATED,
    CURVE_KINDS
} CurveKind;
typedef struct {
    CurveKind kind;
    const char *name;
    double value, y;
} CurveName;

/* Finds them, from above to below, for a chart that is so tall; y is the distance from its upper
 * side, which is that of the value unless two would be closer to each other than `apart`. Returns
 * how many there are. */
int curve_names(const Curve *curve, const Axis *losses, double tall, double apart,
                CurveName names[CURVE_KINDS]);

void curve_write(FILE *out, const Curve *curve);

/* The evaluated losses of several runs, as one figure. */
typedef struct {
    const CurveLine *line;
    const char *run, *about; /* what the key calls it; the second may be NULL */
} CurveNamed;
void curves_write(FILE *out, const CurveNamed *lines, int count);

/* ---- On a terminal ---- */

/* Prints the losses of a run as a plot in a dozen lines of a terminal, or nothing if no step was
 * logged; curve_path, for the caption, is the file that has the same in full. */
void plot_print(const Curve *curve, const Screen *screen, const char *curve_path);

#endif
