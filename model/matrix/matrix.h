/* matrix.h: the matrix product, and the only door to the hardware behind it. Since a transposed
 * matrix is only another view, one product serves forward and backward:
 *
 *     forward     y  = x·w       matmul(y, x, w)
 *     backward    dx = dy·wᵀ     matmul(dx, dy, transposed(w))
 *                 dw += xᵀ·dy    matmul_add(dw, transposed(x), dy)
 *
 * Each element of y is summed by one thread, in an order that depends only on shapes and steps. So
 * the bits of a product depend on its operands only: not on the number of threads, nor, in float32,
 * on the kernel.
 * y must not overlap a or b, nor itself; a and b may be views of the same numbers. */
#ifndef PULGA_MATRIX_H
#define PULGA_MATRIX_H

#include "base/base.h"

/* A Matrix is a view of numbers that lie elsewhere: element (i, j) lies at
 * at[i * row_step + j * col_step]. Transposing swaps the steps, and a part of a matrix is also a
 * view, so neither copies anything. */

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

/* rows x cols numbers that are kept rounded, with nothing between them. */
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

void matmul(Matrix y, Matrix a, Matrix b);     /* y  = a·b; what y held is not read */
void matmul_add(Matrix y, Matrix a, Matrix b); /* y += a·b                          */

/* y = a·b, which is symmetric: about half of it is computed, and mirrored. Always in float32, see
 * Precision. */
void matmul_symmetric(Matrix y, Matrix a, Matrix b);

/* m = numbers, which lie row by row. One that is rounded is written in whole blocks: where its step
 * is 1, it begins at a multiple of ROUNDED_GRAIN and is a multiple of it long. Its numbers must be
 * finite. From then on it may be read, and be b in a product. */
void matrix_write(Matrix m, const Real *numbers);

/* to (cols) = a row of one, rounded or not, whose columns are contiguous. */
void matrix_read(Real *to, Matrix row);

/* Sets a matrix that lies without gaps to 0, or some of its rows. */
void matrix_clear(Matrix m);

/* As how many numbers a row of `cols` counts in memory. */
int rounded_width(Rounding rounding, int cols);

/* In bfloat16 both operands are rounded to 8 significant bits on their way into the product; the
 * sums stay in Real. Nothing outside the product changes. Symmetric products are not rounded:
 * Muon multiplies their results by each other, and each round would multiply the errors by about
 * twelve. */
typedef enum { PRECISION_F32, PRECISION_BF16 } Precision;

/* Chooses the best kernel of a precision that the machine has, or the one that the environment
 * variable PULGA_KERNEL names. Do not call it while products run. If it is never called, the
 * first product chooses float32.
 *
 * Returns false, and nothing changes, if the machine has no bfloat16 or PULGA_KERNEL names a kernel
 * without it. Dies if PULGA_KERNEL names no kernel of this machine. */
bool matrix_choose(Precision precision);

/* The name of the chosen kernel. */
const char *matrix_kernel_name(void);

/* Whether the chosen kernel computes multiply-adds in software, since the processor has no
 * instruction for them, or the program was compiled for processors that need not have it. */
bool matrix_is_slow(void);

#endif
