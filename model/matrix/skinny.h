/* few.h: a product with so few rows that every number of b is used about once, as when a model
 * writes: then nothing is faster than reading b where it lies, in one go. For the files of this
 * folder alone. */
#ifndef PULGA_SKINNY_H
#define PULGA_SKINNY_H

#include "matrix.h"

enum { SKINNY_ROWS = 4 }; /* for five, copying b is already faster */

/* Whether skinny_product can do it: y's columns are contiguous, and b's rows or b's columns are. */
bool skinny_fits(Matrix y, Matrix b);

/* Columns `from` to before `end` of y (= or +=) a·b. */
void skinny_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end);

#endif
