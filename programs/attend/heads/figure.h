/* figure.h: attention maps as a figure for paper, in SVG: a panel for each chosen head. Rows are
 * queries, columns are keys, and a cell's colour is its weight; a key that a query cannot attend to
 * is hatched. */
#ifndef PULGA_FIGURE_H
#define PULGA_FIGURE_H

#include <stdio.h>

#include "heads.h"

/* The most pairs of query and key that a figure may have. Each is an element of its own: with more,
 * viewers become slow. */
enum { FIGURE_MOST = 1 << 17 };

void heads_figure(FILE *out, const Heads *heads);

#endif
