/* view.h: a Matrix is a view of numbers that lie elsewhere: element (i, j) lies at
 * at[i * row_step + j * col_step]. Transposing swaps the steps, and a part of a matrix is also a
 * view, so neither copies anything. */
#ifndef PULGA_VIEW_H
#define PULGA_VIEW_H

#include "base/base.h"

/* A matrix that is only read may be kept in fewer bytes: see rounded.h. */
typedef enum { ROUNDING_NONE, ROUNDING_BF16, ROUNDING_Q8 } Rounding;
enum { ROUNDED_GRAIN = 64 }; /* the length of a rounded row is a multiple of this */

typedef struct {
    Real *at;
    int rows, cols;
    ptrdiff_t row_step, col_step; /* in numbers */
    Rounding rounding;  /* unless it is none, the rounded numbers begin at the origin, and number */
    const Real *origin; /* i there stands for what would be at origin + i                         */
} Matrix;

/* rows x cols numbers that lie row by row. A view of constant numbers loses its const here, so that
 * one type serves; the products write only to y. */
static inline Matrix matrix(const Real *at, int rows, int cols)
{
    return (Matrix){(Real *)at, rows, cols, cols, 1, ROUNDING_NONE, NULL};
}

/* rows x cols numbers whose rows begin row_step numbers apart. */
static inline Matrix matrix_spaced(const Real *at, int rows, int cols, ptrdiff_t row_step)
{
    return (Matrix){(Real *)at, rows, cols, row_step, 1, ROUNDING_NONE, NULL};
}

/* rows x cols numbers that matrix_round() has rounded together. */
static inline Matrix matrix_rounded(const Real *at, int rows, int cols, Rounding rounding)
{
    return (Matrix){(Real *)at, rows, cols, cols, 1, rounding, at};
}

static inline Matrix transposed(Matrix m)
{
    return (Matrix){m.at, m.cols, m.rows, m.col_step, m.row_step, m.rounding, m.origin};
}

/* The part of m with the given rows, or columns. */
static inline Matrix matrix_rows(Matrix m, int from, int count)
{
    m.at += from * m.row_step;
    m.rows = count;
    return m;
}

/* The rows from, from + step, from + 2·step, … */
static inline Matrix matrix_rows_apart(Matrix m, int from, int count, int step)
{
    m = matrix_rows(m, from, count);
    m.row_step *= step;
    return m;
}

static inline Matrix matrix_cols(Matrix m, int from, int count)
{
    m.at += from * m.col_step;
    m.cols = count;
    return m;
}

#endif
