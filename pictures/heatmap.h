/* heatmap.h: attention as pictures: rows are queries, columns keys, a cell's colour is its weight,
 * and what a head may not see is hatched. */
#ifndef PULGA_HEATMAP_H
#define PULGA_HEATMAP_H

#include "heads_file.h"

/* Pairs of query and key that a picture may hold. A page of that many takes 22 MB: 16 heads over
 * 1,000 words. A drawing has an element for each; beyond that nobody's viewer is quick. */
enum { HEATMAP_HTML_MOST = 1 << 23, HEATMAP_SVG_MOST = 1 << 17 };

/* A page that stands alone: heatmap.html with the numbers in it. */
void heatmap_html(FILE *out, const Heads *heads, About about);

/* A figure for paper: all heads, words on both axes. */
void heatmap_svg(FILE *out, const Heads *heads, About about);

/* For the tests: a head's weights in ten thousandths, so that four decimals are exact, 16 bits
 * each in base64, row by row what the query may see; and the head made small, 8 bits for each of
 * side·side squares: 254 times the root of the largest weight in it, 255 where nothing may be
 * seen. */
void heatmap_put_packed(FILE *out, const Heads *heads, int layer, int head);
int heatmap_side(const Heads *heads);
void heatmap_put_small(FILE *out, const Heads *heads, int layer, int head);

#endif
