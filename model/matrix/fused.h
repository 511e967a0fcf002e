/* fused.h: a · b + c rounded once, on processors that may not have an instruction for it. Only for
 * the files of this folder. */
#ifndef PULGA_FUSED_H
#define PULGA_FUSED_H

#include <math.h>
#include <string.h>

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
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    const int64_t lost = (error > 0) | (error < 0);          /* 0 for a NAN too */
    const int64_t away = 1 - 2 * ((error > 0) != (sum > 0)); /* from 0, or towards it */
    bits += away * (lost & ~bits & 1);
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

static inline float fused_float(float a, float b, float c)
{
    return FUSED_IN_HARDWARE ? __builtin_fmaf(a, b, c) : fused_in_software(a, b, c);
}

static inline Real fused(Real a, Real b, Real c)
{
    return _Generic(a, float : fused_float, double : fma)(a, b, c);
}

#endif
