/* skinny.c: plain loops, since they wait for memory anyway. Only the dot product uses vectors by
 * hand: the compiler may not reorder its sum. */
#include "skinny.h"

#include <string.h>

bool skinny_fits(Matrix y, Matrix b)
{
    return y.rows <= SKINNY_ROWS && y.col_step == 1 && (b.col_step == 1 || b.row_step == 1);
}

/* y[j] += a0·b0[j] + … + a3·b3[j], in this order: y is read and written once for four rows of b. */
static void add_four(Real *restrict y, const Real a[4], const Real *b, ptrdiff_t step, int count)
{
    const Real *b0 = b, *b1 = b + step, *b2 = b + 2 * step, *b3 = b + 3 * step;
    for (int j = 0; j < count; j++)
        y[j] = (((y[j] + a[0] * b0[j]) + a[1] * b1[j]) + a[2] * b2[j]) + a[3] * b3[j];
}

static void add_one(Real *restrict y, Real a, const Real *b, int count)
{
    for (int j = 0; j < count; j++)
        y[j] += a * b[j];
}

/* If b's rows are contiguous: adds each to y, times the element of a that belongs to it. */
static void by_rows(Matrix y, Matrix a, Matrix b)
{
    int k = 0;
    for (; k + 4 <= b.rows; k += 4)
        for (int i = 0; i < y.rows; i++) {
            const Real *at = a.at + i * a.row_step + k * a.col_step;
            const Real four[] = {at[0], at[a.col_step], at[2 * a.col_step], at[3 * a.col_step]};
            add_four(y.at + i * y.row_step, four, b.at + k * b.row_step, b.row_step, y.cols);
        }
    for (; k < b.rows; k++)
        for (int i = 0; i < y.rows; i++)
            add_one(y.at + i * y.row_step, a.at[i * a.row_step + k * a.col_step],
                    b.at + k * b.row_step, y.cols);
}

enum { LANES = 16 };
typedef Real Lanes
    __attribute__((vector_size(LANES * sizeof(Real)), aligned(sizeof(Real)), may_alias));

static Real sum_of_lanes(const Lanes *lanes)
{
    Lanes x = *lanes;
    x += __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    return (x[0] + x[2]) + (x[1] + x[3]);
}

/* Σ a[k]·b[k], in enough running sums to hide the latency of an addition. */
static Real dot(const Real *a, ptrdiff_t a_step, const Real *b, int count)
{
    enum { SUMS = 4, AT_ONCE = SUMS * LANES };
    Lanes sum[SUMS] = {{0}};
    Real rest = 0;
    int k = 0;
    if (a_step == 1)
        for (; k + AT_ONCE <= count; k += AT_ONCE)
            for (int s = 0; s < SUMS; s++)
                sum[s] += *(const Lanes *)(a + k + s * LANES) * *(const Lanes *)(b + k + s * LANES);
    for (; k < count; k++)
        rest += a[k * a_step] * b[k];
    const Lanes all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return sum_of_lanes(&all) + rest;
}

/* If b's columns are contiguous: the dot product of each with each row of a. */
static void by_columns(Matrix y, Matrix a, Matrix b)
{
    for (int j = 0; j < y.cols; j++)
        for (int i = 0; i < y.rows; i++)
            y.at[i * y.row_step + j] +=
                dot(a.at + i * a.row_step, a.col_step, b.at + j * b.col_step, b.rows);
}

void skinny_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end)
{
    y = matrix_cols(y, from, end - from);
    b = matrix_cols(b, from, end - from);
    for (int i = 0; i < y.rows && !add; i++)
        memset(y.at + i * y.row_step, 0, sizeof *y.at * (size_t)y.cols);
    (b.col_step == 1 ? by_rows : by_columns)(y, a, b);
}
