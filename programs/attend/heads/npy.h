/* npy.h: NumPy's file of one array: a line of text with its shape, then the numbers, float32,
 * little-endian, the last axis fastest. np.load("heads.npy") reads it. */
#ifndef PULGA_NPY_H
#define PULGA_NPY_H

#include <stdio.h>

#include "base/base.h"

/* What such a file begins with. */
extern const char NPY_BEGIN[];

/* The header of an array of four axes; then all of its numbers, in one call or in several. */
void npy_begin(FILE *out, const int shape[4]);
void npy_numbers(FILE *out, const Real *numbers, size_t count);

#endif
