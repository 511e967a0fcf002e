/* matrix.h: the matrix product, and the only door to the hardware behind it.
 *
 * A Matrix is a view: element (i, j) lies at at[i * row_step + j * col_step]. Transposing swaps the
 * steps and a part of a matrix is a view too, so one product serves forward and backward:
 *
 *     forward     y  = x·w       matmul(y, x, w)
 *     backward    dx = dy·wᵀ     matmul(dx, dy, transposed(w))
 *                 dw += xᵀ·dy    matmul_add(dw, transposed(x), dy)
 *
 * Each element of y is summed by one thread, in an order that shapes and steps alone decide: the
 * bits of a product depend only on its operands and on the kernel, whatever the number of threads.
 * y must not overlap a or b, nor itself; a and b may be views of the same numbers. */
#ifndef PULGA_MATRIX_H
#define PULGA_MATRIX_H

#include "base/base.h"

typedef struct {
    Real *at;
    int rows, cols;
    ptrdiff_t row_step, col_step; /* in numbers */
} Matrix;

void matmul(Matrix y, Matrix a, Matrix b);     /* y  = a·b; what y held is not read */
void matmul_add(Matrix y, Matrix a, Matrix b); /* y += a·b                          */

/* A view of rows x cols numbers that lie row by row. A view of constant numbers loses its const
 * here, once, so that one type serves; the products write to nothing but y. */
static inline Matrix matrix(const Real *at, int rows, int cols)
{
    return (Matrix){(Real *)at, rows, cols, cols, 1};
}

static inline Matrix transposed(Matrix m)
{
    return (Matrix){m.at, m.cols, m.rows, m.col_step, m.row_step};
}

/* The part of m with the given rows, or columns. */
static inline Matrix matrix_rows(Matrix m, int from, int count)
{
    m.at += from * m.row_step;
    m.rows = count;
    return m;
}

static inline Matrix matrix_cols(Matrix m, int from, int count)
{
    m.at += from * m.col_step;
    m.cols = count;
    return m;
}

/* In bfloat16 both operands are rounded to 8 significant bits on their way into the product; the
 * sums stay in Real. Everything outside this room is the same. */
typedef enum { PRECISION_F32, PRECISION_BF16 } Precision;

/* To be called before the first product, where it is not float32; false, and nothing changes, where
 * the machine has no instructions for it or PULGA_KERNEL forces a kernel without them. */
bool matrix_choose(Precision precision);

/* The name of the kernel in use. The environment variable PULGA_KERNEL forces one by name. */
const char *matrix_kernel_name(void);

#endif
