/* skinny.c: plain loops, since they wait for memory anyway. The dot product uses vectors by hand,
 * since the compiler may not reorder its sum, and so do rounded rows, whose numbers are unpacked a
 * vector at a time. */
#include "skinny.h"

#include <assert.h>
#include <string.h>

#include "kernel.h"
#include "rounded.h"

bool skinny_fits(Matrix y, Matrix b)
{
    return y.rows <= SKINNY_ROWS && y.col_step == 1 && (b.col_step == 1 || b.row_step == 1);
}

/* Rows of b that are read at once: y is read and written once for all of them, and so many streams
 * keep the memory busy. Rounded rows are fewer, since each takes a register. */
enum { ROWS_AT_ONCE = 8, ROUNDED_AT_ONCE = 4, LINE = 64 };

/* y[j] += a0·b0[j] + … + a7·b7[j], in this order */
static inline void add_numbers(Real *restrict y, const Real a[ROWS_AT_ONCE], const Real *b,
                               ptrdiff_t step, int count)
{
    for (int j = 0; j < count; j++) {
        Real sum = y[j];
        for (int k = 0; k < ROWS_AT_ONCE; k++)
            sum += a[k] * b[k * step + j];
        y[j] = sum;
    }
}

/* Adds eight rows of b to y, as add_numbers() does, and fetches the eight rows after them. */
static void add_rows(Real *restrict y, const Real a[ROWS_AT_ONCE], const Real *b, ptrdiff_t step,
                     int count)
{
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
        for (int k = ROWS_AT_ONCE; k < 2 * ROWS_AT_ONCE; k++)
            __builtin_prefetch(b + k * step + j);
        add_numbers(y + j, a, b + j, step, LANES);
    }
    add_numbers(y + j, a, b + j, step, count - j);
}

static void add_one(Real *restrict y, Real a, const Real *b, int count)
{
    for (int j = 0; j < count; j++)
        y[j] += a * b[j];
}

/* Each row of y += four rounded rows of b, each times its element of a. Fetches the next four rows
 * of b. */
__attribute__((always_inline)) static inline void add_rounded(Matrix y, Matrix a, Matrix b,
                                                              const int rows,
                                                              const Rounding rounding)
{
    const size_t size = rounded_block_size(rounding);
    const ptrdiff_t step = b.row_step / ROUNDED_GRAIN * (ptrdiff_t)size;
    const char *block = rounded_block(rounding, b.origin, rounded_place(b, 0, 0));
    Real of_a[SKINNY_ROWS][ROUNDED_AT_ONCE]; /* of one row, they stay in registers */
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < ROUNDED_AT_ONCE; k++)
            of_a[i][k] = a.at[i * a.row_step + k * a.col_step];
    for (int j = 0; j < y.cols; j += ROUNDED_GRAIN, block += size) {
        for (int k = ROUNDED_AT_ONCE; k < 2 * ROUNDED_AT_ONCE; k++)
            for (size_t line = 0; line < size; line += LINE)
                __builtin_prefetch(block + k * step + line);
        UNROLLED
        for (int n = 0; n < ROUNDED_GRAIN; n += VECTOR) {
            Vector of_b[ROUNDED_AT_ONCE];
            for (int k = 0; k < ROUNDED_AT_ONCE; k++)
                rounded_vector(&of_b[k], rounding, block + k * step, n);
            for (int i = 0; i < rows; i++) {
                Vector *place = (Vector *)(y.at + i * y.row_step + j + n), sum = *place;
                for (int k = 0; k < ROUNDED_AT_ONCE; k++)
                    sum += of_a[i][k] * of_b[k];
                *place = sum;
            }
        }
    }
}

/* One row, the usual case, has a loop for each rounding. */
static void by_rounded_rows(Matrix y, Matrix a, Matrix b)
{
    for (int k = 0; k < b.rows; k += ROUNDED_AT_ONCE) {
        const Matrix of_a = matrix_cols(a, k, ROUNDED_AT_ONCE);
        const Matrix of_b = matrix_rows(b, k, ROUNDED_AT_ONCE);
        if (y.rows == 1 && b.rounding == ROUNDING_BF16)
            add_rounded(y, of_a, of_b, 1, ROUNDING_BF16);
        else if (y.rows == 1)
            add_rounded(y, of_a, of_b, 1, ROUNDING_Q8);
        else
            add_rounded(y, of_a, of_b, y.rows, b.rounding);
    }
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

/* Σ a[k]·b[k], in enough running sums to hide the latency of an addition; b is a column. */
static inline Real dot(const Real *a, ptrdiff_t a_step, Matrix b, Rounding rounding)
{
    enum { SUMS = ROUNDED_GRAIN / VECTOR, AT_ONCE = ROUNDED_GRAIN, AHEAD = 2048 };
    const size_t bytes = rounding ? rounded_block_size(rounding) : AT_ONCE * sizeof(Real);
    Vector sum[SUMS] = {{0}};
    Real rest = 0;
    int k = 0;
    if (a_step == 1)
        for (; k + AT_ONCE <= b.rows; k += AT_ONCE) {
            const char *of_b = rounding ? rounded_block(rounding, b.origin, rounded_place(b, k, 0))
                                        : (const char *)(b.at + k);
            for (size_t line = 0; line < bytes; line += LINE)
                __builtin_prefetch(of_b + AHEAD + line);
            UNROLLED
            for (int s = 0; s < SUMS; s++) {
                Vector vector;
                if (rounding)
                    rounded_vector(&vector, rounding, of_b, s * VECTOR);
                else
                    vector = *(const Vector *)(b.at + k + s * VECTOR);
                sum[s] += *(const Vector *)(a + k + s * VECTOR) * vector;
            }
        }
    for (; k < b.rows; k++)
        rest += a[k * a_step] * b.at[k];
    const Real *sums = (const Real *)sum;
    Real all[LANES];
    for (int l = 0; l < LANES; l++)
        all[l] = (sums[l] + sums[LANES + l]) + (sums[2 * LANES + l] + sums[3 * LANES + l]);
    return SUM_OF_LANES(all) + rest;
}

/* Each rounding has a loop of its own. */
static Real column_dot(const Real *a, ptrdiff_t a_step, Matrix b)
{
    return b.rounding == ROUNDING_BF16 ? dot(a, a_step, b, ROUNDING_BF16)
           : b.rounding == ROUNDING_Q8 ? dot(a, a_step, b, ROUNDING_Q8)
                                       : dot(a, a_step, b, ROUNDING_NONE);
}

/* If b's columns are contiguous: the dot product of each with each row of a. */
static void by_columns(Matrix y, Matrix a, Matrix b)
{
    for (int j = 0; j < y.cols; j++)
        for (int i = 0; i < y.rows; i++)
            y.at[i * y.row_step + j] +=
                column_dot(a.at + i * a.row_step, a.col_step, matrix_cols(b, j, 1));
}

void skinny_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end)
{
    assert(!b.rounding || (a.col_step == 1 && b.rows % ROUNDED_GRAIN == 0));
    y = matrix_cols(y, from, end - from);
    b = matrix_cols(b, from, end - from);
    for (int i = 0; i < y.rows && !add; i++)
        memset(y.at + i * y.row_step, 0, sizeof *y.at * (size_t)y.cols);
    (b.col_step != 1 ? by_columns : b.rounding ? by_rounded_rows : by_rows)(y, a, b);
}
