/* few.h: a product with so few rows that every number of b is used about once, as when a model
 * writes: then nothing is faster than reading b where it lies, in one go. For the files of this
 * folder alone. */
#ifndef PULGA_FEW_H
#define PULGA_FEW_H

#include "matrix.h"

enum { FEW_ROWS = 4 }; /* for five, copying b is already faster */

/* Whether few_product can do it: y's columns are contiguous, and b's rows or b's columns are. */
bool few_fits(Matrix y, Matrix b);

/* Columns `from` to before `end` of y (= or +=) a·b. */
void few_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end);

#endif
