/* figure.h: attention maps as a figure for paper, in SVG: a panel for each chosen head. Rows are
 * queries, columns are keys, and a cell's colour is its weight; a key that a query cannot attend to
 * is hatched. */
#ifndef PULGA_FIGURE_H
#define PULGA_FIGURE_H

#include <stdio.h>

#include "colours.h"
#include "heads.h"

/* The most pairs of query and key that a figure may have. Each is an element of its own: with more,
 * viewers become slow. */
enum { FIGURE_MOST = 1 << 17 };

/* What every figure begins with. */
#define FIGURE_BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""

void figure_write(FILE *out, const Heads *heads);

/* ---- For other figures ---- */

/* Its size in pixels, and that of the letters; the figure ends with "</svg>\n". */
void figure_begin(FILE *out, double width, double height, double font);

/* The title, and in small letters the model's directory with a note after it, at the top. */
void figure_title(FILE *out, double width, const char *title, const char *run, const char *note);

void figure_cell(FILE *out, double x, double y, double side, Colour colour);

/* The scale of colours from `least`, 0 or -1, to 1: 192 wide, 24 high. */
void figure_scale(FILE *out, double least, const char *name);

#endif
