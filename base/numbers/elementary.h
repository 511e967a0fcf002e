/* elementary.h: e^x, ln, sine, cosine and powers that have the same bits on every machine. The C
 * library's differ in the last place between its versions and between processors, and one such bit
 * gives another model after some steps. These are made of + − × ÷, comparisons and bit patterns,
 * which IEEE 754 defines to the last bit; so they must be compiled with -ffp-contract=off, as all
 * of Pulga is. No code that computes a result may call the C library's
 * (tests/programs/elementary.bats looks).
 *
 * They are within 1 unit in the last place of the true value. e^x, also in float, is right down to
 * the smallest denormals, 0 below them and infinite above the logarithm of the largest number. A
 * NAN stays one. tests/base/numbers/elementary.c tries them all; of the floats one in 1,499, or all
 * on request. */
#ifndef PULGA_ELEMENTARY_H
#define PULGA_ELEMENTARY_H

#include "base/base.h"

double elementary_log(double x);     /* −infinity of 0, NAN below it */
double elementary_sin(double angle); /* less exact beyond 10 million, as is the cosine */
double elementary_cos(double angle);
double elementary_power(double base, double exponent); /* base > 0, not infinite */

/* ln 2 in two parts: the first has 42 bits, so that up to 2^11 times it is exact. */
#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW 0x1.ef35793c7673p-45

/* Added to a double below 2^51, or to a float below 2^22, it rounds that to a whole number, whose
 * last bits are then also the last bits of the sum. */
#define ROUNDER 0x1.8p52
#define FLOAT_ROUNDER 0x1.8p23f

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline int32_t bits_of_float(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of_bits(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n by placing the exponent's bits, for -1022 <= n <= 1023 and for -126 <= n <= 127. */
static inline double two_to(int64_t n)
{
    return from_bits((uint64_t)(n + 1023) << 52);
}

static inline float two_to_float(int32_t n)
{
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* e^(x + low), for a low of a few units in the last place of x. No exp has a branch, a table or a
 * call, so that the compiler makes vector instructions of a loop over it. */
static inline double exp_of_sum(double x, double low)
{
    x = x < -746 ? -746 : x > 710 ? 710 : x; /* beyond them e^x is 0, or infinite */

    /* x + low = n·ln 2 + r + rest with |r| <= ln 2 / 2, where rest is what r lost by rounding. */
    const double shifted = x * 1.4426950408889634 + ROUNDER, n = shifted - ROUNDER;
    const double high = x - n * LN2_HIGH, below = n * LN2_LOW - low;
    const double r = high - below, rest = (high - r) - below;

    /* e^r = 1 + r + r²·p(r), p of degree 9 with the smallest largest relative error, its powers
     * side by side; lost is what 1 + r lost. */
    const double r2 = r * r, r4 = r2 * r2;
    const double p = (0.5000000000000011 + r * 0.1666666666666641) +
                     r2 * (0.04166666666652919 + r * 0.008333333333495627) +
                     r4 * ((0.0013888888943921454 + r * 0.00019841269504751636) +
                           r2 * (2.4801492763973955e-05 + r * 2.7557587357531655e-06) +
                           r4 * (2.7630378228186743e-07 + r * 2.4999960208336418e-08));
    const double most = 1 + r, lost = (1 - most) + r;
    const double e = most + (r2 * p + (lost + rest));

    /* Times 2^n in two halves, since the result may be a denormal or infinite when 2^n is
     * neither. The n of a NAN is some number or other. */
    const int64_t whole = (int64_t)(bits_of(shifted) - bits_of(ROUNDER)), half = whole >> 1;
    return e * two_to(half) * two_to(whole - half);
}

static inline double elementary_exp(double x)
{
    return exp_of_sum(x, 0);
}

/* exp() in float, by these steps. */
static inline float exp_float(float x)
{
    x = x < -104 ? -104 : x > 89 ? 89 : x;
    const float shifted = x * 1.44269504f + FLOAT_ROUNDER, n = shifted - FLOAT_ROUNDER;
    const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f; /* n times the first is exact */
    const float p =
        0.49999993f + r * (0.1666652f + r * (0.04166839f + r * (0.00836875f + r * 0.00138145f)));
    const float e = 1 + (r + r * r * p);
    const int32_t whole = bits_of_float(shifted) - bits_of_float(FLOAT_ROUNDER), half = whole >> 1;
    return e * two_to_float(half) * two_to_float(whole - half);
}

static inline Real real_exp(Real x)
{
    return _Generic(x, float : exp_float, double : elementary_exp)(x);
}

#endif
