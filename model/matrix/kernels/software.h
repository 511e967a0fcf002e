/* software.h: a tile of fused multiply-adds for processors that have no instruction for them, in
 * vectors of two doubles. Only for portable.c.
 *
 * The product of two floats is exact in double. Its sum with a float is rounded to 53 bits, and
 * then to the 24 of a float. That differs from rounding once only if the 53 bits lie half-way
 * between two floats, which is rare. So a patch of the tile goes through some of the depth quickly,
 * and again, exactly, if a sum lay half-way.
 *
 * Sums are kept as doubles, times 2^-896. A double below 2^-1022 has as many bits fewer as a float
 * below 2^-126, so the last bit of a float is always number 29 of such a double, and rounding is an
 * addition to its bits and a mask. The addition carries into bit 29 from half-way on; then the 29
 * bits are 0 only if the sum lay half-way. */
#ifndef PULGA_SOFTWARE_H
#define PULGA_SOFTWARE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/matrix/kernel.h"

/* Whether the compiler has the instruction for the processors that it compiles for. */
#ifdef __FP_FAST_FMAF
enum { FUSED_IN_HARDWARE = 1 };
#else
enum { FUSED_IN_HARDWARE = 0 };
#endif

/* The sizes of a tile, the columns of a narrow one, and the steps of the depth that a patch takes
 * at once. A patch has 8 vectors of sums: no more fit 16 registers beside what else is needed. */
enum { SOFT_ROWS = 32, SOFT_COLS = 32, SOFT_NARROW_COLS = 16, SOFT_DEPTH = 16 };
enum { PATCH = 4, ACROSS = PATCH / 2 }; /* the numbers and the vectors in a row of it */

typedef double Doubles __attribute__((vector_size(16)));
typedef int64_t Longs __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(16)));

/* a · b + c rounded once, in doubles. The product of two floats is exact there. Its sum with c is
 * not, but what is lost is a double again: error. If something is lost, the sum is made odd: its
 * last bit then stands for all that follows it, and rounding to a float, which has 29 bits fewer,
 * comes out as if nothing had been rounded before. An even sum has its odd neighbour on the side
 * where the error lies. */
static inline float fused_in_software(float a, float b, float c)
{
    const double product = (double)a * (double)b, sum = product + (double)c;
    const double added = sum - product;
    const double error = (product - (sum - added)) + ((double)c - added);
    const int64_t lost = !isnan(error) & (error != 0);
    const int64_t away = 1 - 2 * ((error > 0) != (sum > 0)); /* from 0, or towards it */
    union {
        double value;
        int64_t bits;
    } odd = {.value = sum};
    odd.bits += away * (lost & ~odd.bits & 1);
    return (float)odd.value;
}

static const double DOWN = 0x1p-896, UP = 0x1p896;

/* A tile, and parts of its operands. Vectors of a are a number twice. */
typedef struct {
    _Alignas(16) double a[SOFT_DEPTH][2 * SOFT_ROWS];
    double b[SOFT_DEPTH][SOFT_COLS], sum[SOFT_ROWS][SOFT_COLS];
} Soft;

/* Computes a vector here and not later: gcc would put off such work of many steps, and until then
 * keep in memory what does not fit the registers. */
#ifdef __SSE2__
#define NOW(vector) __asm__("" : "+x"(vector))
#else
#define NOW(vector)
#endif

/* Becomes 0 in some place if an element of x or y is 0, of which none is negative. */
static inline Shorts least_of(Shorts least, Ints x, Ints y)
{
#ifdef __SSE2__ /* fewer instructions */
    return (Shorts)_mm_min_epi16((__m128i)least, _mm_packs_epi32((__m128i)x, (__m128i)y));
#else
    return least & ~(Shorts)((x == 0) | (y == 0));
#endif
}

/* sum += a · b, rounded; returns what the addition has left below bit 29. */
static inline Ints advance_row(Doubles sum[ACROSS], Doubles a, const Doubles *b)
{
    const int64_t half = 1 << 28, below = (1 << 29) - 1;
    Longs carried[ACROSS];
    UNROLLED
    for (int v = 0; v < ACROSS; v++) {
        carried[v] = (Longs)(a * b[v] + sum[v]) + half;
        sum[v] = (Doubles)(carried[v] & ~below);
    }
    Ints left = __builtin_shufflevector((Ints)carried[0], (Ints)carried[1], 0, 2, 4, 6);
    left &= (int32_t)below;
    NOW(left);
    NOW(sum[0]);
    NOW(sum[1]);
    return left;
}

/* False if a sum lay half-way; then the sums are as before. */
static inline bool advance_quickly(Soft *soft, int row, int col, int depth)
{
    Doubles sum[PATCH][ACROSS];
    Shorts least = (Shorts){0} + INT16_MAX;
    UNROLLED
    for (int i = 0; i < PATCH; i++)
        memcpy(sum[i], &soft->sum[row + i][col], sizeof sum[i]);
    for (int k = 0; k < depth; k++) {
        const Doubles *a = (const Doubles *)&soft->a[k][2 * row];
        const Doubles *b = (const Doubles *)&soft->b[k][col];
        UNROLLED
        for (int i = 0; i < PATCH; i += 2) {
            const Ints left = advance_row(sum[i], a[i], b);
            least = least_of(least, left, advance_row(sum[i + 1], a[i + 1], b));
            NOW(least);
        }
    }
    const Longs ties = (Longs)(least == 0);
    if (__builtin_expect((ties[0] | ties[1]) != 0, false))
        return false;
    UNROLLED
    for (int i = 0; i < PATCH; i++)
        memcpy(&soft->sum[row + i][col], sum[i], sizeof sum[i]);
    return true;
}

__attribute__((noinline)) static void advance_exactly(Soft *soft, int row, int col, int depth)
{
    for (int k = 0; k < depth; k++)
        for (int i = row; i < row + PATCH; i++)
            for (int j = col; j < col + PATCH; j++) {
                const float a = (float)soft->a[k][2 * i], b = (float)(soft->b[k][j] * UP);
                const float sum = (float)(soft->sum[i][j] * UP);
                soft->sum[i][j] = (double)fused_in_software(a, b, sum) * DOWN;
            }
}

/* Whether all numbers of some lines are 0 or have a size from 2^least to 2^most. */
static inline bool sizes_are(const int least, const int most, const Real *numbers, ptrdiff_t step,
                             int lines, int count)
{
    const int32_t low = (127 + least) << 23, high = (127 + most) << 23;
    int32_t outside = 0; /* negative if one is */
    for (int i = 0; i < lines; i++)
        for (int j = 0; j < count; j++) {
            const union {
                float value;
                int32_t bits;
            } number = {.value = (float)numbers[i * step + j]};
            const int32_t size = number.bits & INT32_MAX;
            outside |= (high - size) | (low ? (size - low) & ~(size - 1) : 0);
        }
    return outside >= 0;
}

/* What a tile is computed of, as KernelTile says. */
typedef struct {
    const Real *a, *b;
    bool by_rows;
    int rows, cols, depth;
} Factors;

static inline bool sizes_of_both_are(const int least, const int most, Factors f)
{
    const int lines = f.by_rows ? f.rows : f.depth, count = f.by_rows ? f.depth : f.rows;
    return sizes_are(least, most, f.a, f.by_rows ? A_ROW_STEP : A_COL_STEP, lines, count) &&
           sizes_are(least, most, f.b, 0, 1, f.depth * f.cols);
}

/* The sums of a tile, a part of the depth after the other. Rows are filled up to whole patches. */
static inline void soft_sums(Soft *soft, Factors f, bool quickly)
{
    const ptrdiff_t a_row = f.by_rows ? A_ROW_STEP : 1, a_col = f.by_rows ? 1 : A_COL_STEP;
    memset(soft->sum, 0, sizeof soft->sum);
    for (int from = 0; from < f.depth; from += SOFT_DEPTH) {
        const int depth = min_int(f.depth - from, SOFT_DEPTH);
        for (int k = 0; k < depth; k++, f.a += a_col, f.b += f.cols) {
            for (int i = 0; i < (f.rows + PATCH - 1) / PATCH * PATCH; i++)
                soft->a[k][2 * i] = soft->a[k][2 * i + 1] = i < f.rows ? (double)f.a[i * a_row] : 0;
            for (int j = 0; j < f.cols; j++)
                soft->b[k][j] = (double)f.b[j] * DOWN;
        }
        for (int i = 0; i < f.rows; i += PATCH)
            for (int j = 0; j < f.cols; j += PATCH)
                if (!quickly || !advance_quickly(soft, i, j, depth))
                    advance_exactly(soft, i, j, depth);
    }
}

static inline bool any_zero(const Soft *soft, int rows, int cols)
{
    bool any = false;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            any |= soft->sum[i][j] == 0;
    return any;
}

/* Quickly, unless a sum might reach 2^128, which no float does. A product below 2^-178 may become
 * 0, which changes nothing but the sign of a sum of 0. */
__attribute__((always_inline)) static inline void soft_tile_of(Factors f, Real *y, ptrdiff_t y_step,
                                                               bool add)
{
    Soft soft;
    const bool quickly = sizes_of_both_are(-127, 58, f);
    soft_sums(&soft, f, quickly);
    if (quickly && any_zero(&soft, f.rows, f.cols) && !sizes_of_both_are(-89, 128, f))
        soft_sums(&soft, f, false);
    for (int i = 0; i < f.rows; i++)
        for (int j = 0; j < f.cols; j++) {
            const Real sum = (Real)(soft.sum[i][j] * UP);
            y[i * y_step + j] = add ? y[i * y_step + j] + sum : sum;
        }
}

static void soft_tile(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows, const Real *b,
                      int rows, int depth, bool add)
{
    soft_tile_of((Factors){a, b, by_rows, rows, SOFT_COLS, depth}, y, y_step, add);
}

static void soft_narrow(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows, const Real *b,
                        int rows, int depth, bool add)
{
    soft_tile_of((Factors){a, b, by_rows, rows, SOFT_NARROW_COLS, depth}, y, y_step, add);
}

#endif
