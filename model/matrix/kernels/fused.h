/* fused.h: a · b + c rounded once, on processors that may not have an instruction for it. Only for
 * the files of this folder. */
#ifndef PULGA_FUSED_H
#define PULGA_FUSED_H

#include <math.h>
#include <string.h>

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Whether the compiler has the instruction for the processors that it compiles for. */
#ifdef __FP_FAST_FMAF
enum { FUSED_IN_HARDWARE = 1 };
#else
enum { FUSED_IN_HARDWARE = 0 };
#endif

/* In doubles. The product of two floats is exact there. Its sum with c is not, but what is lost is
 * a double again: error. If something is lost, the sum is made odd: its last bit then stands for
 * all that follows it, and rounding to a float, which has 29 bits fewer, comes out as if nothing
 * had been rounded before. An even sum has its odd neighbour on the side where the error lies. */
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

/* ---- Four at once ---- */

typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));
typedef int32_t Flags __attribute__((vector_size(16)));

static inline Doubles lower_half(Floats x)
{
    return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), Doubles);
}

static inline Doubles upper_half(Floats x)
{
#ifdef __SSE2__ /* gcc would take it apart */
    return (Doubles)_mm_cvtps_pd(_mm_movehl_ps((__m128)x, (__m128)x));
#else
    return __builtin_convertvector(__builtin_shufflevector(x, x, 2, 3), Doubles);
#endif
}

static inline Floats joined(Doubles lower, Doubles upper)
{
    typedef double All __attribute__((vector_size(32)));
    const All all = __builtin_shufflevector(lower, upper, 0, 1, 2, 3);
    return __builtin_convertvector(all, Floats);
}

static inline bool any(Flags flags)
{
#ifdef __SSE2__
    return _mm_movemask_ps((__m128)flags);
#else
    typedef int64_t Halves __attribute__((vector_size(16)));
    return ((Halves)flags)[0] | ((Halves)flags)[1];
#endif
}

/* Out of line, so that what calls it keeps its sums in registers. */
__attribute__((noinline)) static Floats fused_one_by_one(float a, Floats b, Floats c)
{
    for (int lane = 0; lane < 4; lane++)
        c[lane] = fused_in_software(a, b[lane], c[lane]);
    return c;
}

/* The sum in double, then rounded to float: rounded twice, which differs from once only if the
 * double lies half-way between two floats, so that its last 29 bits are 1 and 28 zeros. Floats
 * below 2^-126 have fewer bits, and lie half-way elsewhere. Both are rare. */
static inline Floats fused_four_in_software(float a, Floats b, Floats c)
{
    typedef uint32_t Words __attribute__((vector_size(16)));
    const Doubles lower = lower_half(b) * (double)a + lower_half(c);
    const Doubles upper = upper_half(b) * (double)a + upper_half(c);
    const Words last = __builtin_shufflevector((Words)lower, (Words)upper, 0, 2, 4, 6);
    const Words first = __builtin_shufflevector((Words)lower, (Words)upper, 1, 3, 5, 7);
    const Flags half_way = (last & 0x1FFFFFFF) == 0x10000000;
    /* 0 < magnitude < least, as magnitude − 1 < least − 1 without signs; vectors are compared with
     * signs, so 2^31 is taken from both sides. */
    const int32_t least = (1023 - 126) << 20;
    const Flags tiny = (Flags)((first & 0x7FFFFFFF) + 0x7FFFFFFF) < INT32_MIN + (least - 1);
    if (__builtin_expect(any(half_way | tiny), false))
        return fused_one_by_one(a, b, c);
    return joined(lower, upper);
}

#endif
