/* skinny.c: plain loops, since they wait for memory anyway. Only the dot product uses vectors by
 * hand: the compiler may not reorder its sum. */
#include "skinny.h"

#include <string.h>

#include "base/numbers/lanes.h"

bool skinny_fits(Matrix y, Matrix b)
{
    return y.rows <= SKINNY_ROWS && y.col_step == 1 && (b.col_step == 1 || b.row_step == 1);
}

/* Rows of b that are read at once: y is read and written once for all of them, and so many streams
 * keep the memory busy. */
enum { ROWS_AT_ONCE = 8 };

/* y[j] += a0·b0[j] + … + a7·b7[j], in this order */
static void add_rows(Real *restrict y, const Real a[ROWS_AT_ONCE], const Real *b, ptrdiff_t step,
                     int count)
{
    for (int j = 0; j < count; j++) {
        Real sum = y[j];
        for (int k = 0; k < ROWS_AT_ONCE; k++)
            sum += a[k] * b[k * step + j];
        y[j] = sum;
    }
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
    for (; k + ROWS_AT_ONCE <= b.rows; k += ROWS_AT_ONCE)
        for (int i = 0; i < y.rows; i++) {
            Real some[ROWS_AT_ONCE];
            for (int r = 0; r < ROWS_AT_ONCE; r++)
                some[r] = a.at[i * a.row_step + (k + r) * a.col_step];
            add_rows(y.at + i * y.row_step, some, b.at + k * b.row_step, b.row_step, y.cols);
        }
    for (; k < b.rows; k++)
        for (int i = 0; i < y.rows; i++)
            add_one(y.at + i * y.row_step, a.at[i * a.row_step + k * a.col_step],
                    b.at + k * b.row_step, y.cols);
}

typedef Real Lanes
    __attribute__((vector_size(LANES * sizeof(Real)), aligned(sizeof(Real)), may_alias));

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
    return SUM_OF_LANES((const Real *)&all) + rest;
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
