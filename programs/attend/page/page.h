/* page.h: attention maps as a page that needs no other file: page.html with the data in it. */
#ifndef PULGA_PAGE_H
#define PULGA_PAGE_H

#include <stdio.h>

#include "programs/attend/heads/heads.h"
#include "data.h"

/* The most pairs of query and key that a page may have: 16 heads over 1,000 words, 22 MB. */
enum { PAGE_MOST = 1 << 23 };

/* What every page begins with. */
#define PAGE_BEGIN "<!doctype html>\n<!-- written by attend -->\n"

/* The heads are those of the source's first text. A page without the model shows no other text; one
 * that trains computes them itself. */
void page_write(FILE *out, const Heads *heads, const PageSource *source);

/* The packed data of one head, public for the tests; both are bytes in base64.
 *
 * put_map: two bytes for each pair of a query and a key that it attends to, row by row: the weight
 * in ten thousandths, little-endian. Rounded so, four printed decimals are exact.
 * put_small: the head as page_side() times page_side() squares, one byte for each: 254 times the
 * root of the largest weight in the square, or 255 if it has no key that may be attended to. */
void page_put_map(FILE *out, const Heads *heads, const Head *head);
void page_put_small(FILE *out, const Heads *heads, const Head *head);
int page_side(const Heads *heads);

/* ---- A page that trains ---- */

/* A page that trains a run further: the page of the lab, which `make lab` builds, with the run's
 * files in it. */

/* Writes the page, which begins with PAGE_BEGIN; its model reads the source's text. Dies if a page
 * cannot train the run, if its files are too large, or if there is no page of the lab. */
void trainable_write(FILE *out, const PageSource *source);

#endif
