/* svg.h: what the figures for paper share, in SVG. A figure begins with svg_begin() and ends with
 * "</svg>\n". */
#ifndef PULGA_SVG_H
#define PULGA_SVG_H

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

#endif
