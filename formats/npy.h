/* npy.h: NumPy's file of one array: a line of text that says its shape, then the numbers, float32,
 * little-endian, the last axis fastest. */
#ifndef PULGA_NPY_H
#define PULGA_NPY_H

#include <stdio.h>

#include "base/base.h"

void npy_begin(FILE *out, const int *shape, int axes);
void npy_numbers(FILE *out, const Real *numbers, size_t count);

#endif
