/* elementary.h: e^x, written so that the compiler turns a loop over it into vector instructions: no
 * branch, no table, no call. Softmax, the loss and gelu need no other function. The double build,
 * which is for exactness, uses the C library's.
 *
 * In float it is within 2 units in the last place of the true value. It is right down to the
 * smallest denormals, 0 below them and infinite above ln(largest float); a NAN stays one.
 * tests/model/elementary.c tries one float in 1,499, or all of them on request. */
#ifndef PULGA_ELEMENTARY_H
#define PULGA_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

/* 2^n for -126 <= n <= 127, by placing the exponent's bits. */
static inline float power_of_two(int32_t n)
{
    const int32_t bits = (n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline float exp_float(float x)
{
    const float low = -104.0f, high = 89.0f; /* beyond them e^x is 0, or infinite */
    const float clamped = x < low ? low : x > high ? high : x;

    /* x = n·ln 2 + r with |r| <= ln 2 / 2. Adding 1.5·2^23 rounds to a whole number, since a
     * float of that size has no fraction; ln 2 comes in two parts so that n times the first is
     * exact. */
    const float round = 12582912.0f;
    const float n = (clamped * 1.44269504f + round) - round;
    const float r = (clamped - n * 0.693359375f) - n * -2.12194440e-4f;

    /* e^r = 1 + r + r²·p(r), p of degree 5 with the smallest largest relative error. */
    const float p =
        0.5f +
        r * (0.166666657f + r * (0.0416662805f +
                                 r * (0.0083335042f + r * (0.00139457523f + r * 0.000197892659f))));
    const float e = 1 + (r + r * r * p);

    /* Times 2^n in two halves, since the result may be a denormal or infinite when 2^n is neither.
     * A NAN must not reach the conversion to int. */
    const int32_t whole = (int32_t)(x == x ? n : 0), half = whole >> 1;
    return e * power_of_two(half) * power_of_two(whole - half);
}

static inline Real real_exp(Real x)
{
    return _Generic(x, float : exp_float, double : exp)(x);
}

#endif
