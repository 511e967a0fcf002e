/* fused.h: a · b + c rounded once, on processors that may not have an instruction for it. Only for
 * the files of this folder. */
#ifndef PULGA_FUSED_H
#define PULGA_FUSED_H

#include <math.h>

#include "base/base.h"

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

#endif
