/* skinny.h: a product with so few rows, as in generation, that every number of b is used about
 * once: then nothing is faster than reading b where it lies, in sequence. Only for the files of
 * this folder. */
#ifndef PULGA_SKINNY_H
#define PULGA_SKINNY_H

#include "matrix.h"

enum { SKINNY_ROWS = 4 }; /* with five, copying b is already faster */

/* Whether skinny_product() can compute it: it needs few rows, contiguous columns of y, and
 * contiguous rows or columns of b. */
bool skinny_fits(Matrix y, Matrix b);

/* Columns `from` to before `end` of y (= or +=) a·b. If b is rounded, both are multiples of
 * ROUNDED_GRAIN, or the last column's end. */
void skinny_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end);

#endif
