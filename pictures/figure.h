/* figure.h: attention maps as a figure for paper, in SVG: all chosen heads side by side, rows are
 * queries, columns keys, a cell's colour is its weight; a key that a query cannot attend to is
 * hatched. */
#ifndef PULGA_FIGURE_H
#define PULGA_FIGURE_H

#include <stdio.h>

#include "heads.h"

/* The pairs of query and key that a figure may have. Each is an element of its own, and viewers
 * become slow beyond this. */
enum { FIGURE_MOST = 1 << 17 };

/* What every figure begins with. */
#define FIGURE_BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""

void figure_write(FILE *out, const Heads *heads);

#endif
