/* elementary.c: each function goes to a small interval, where a polynomial is exact enough (of the
 * degree at which its largest error, relative to the result, is below 2^-57), and back. A number
 * whose rounding would be seen in the result is carried as the sum of two doubles. */
#include "elementary.h"

/* ---- Sums and products with what their rounding loses ---- */

typedef struct {
    double high, low; /* the number is their sum; high is that sum rounded, or nearly */
} Pair;

static Pair exact_sum(double a, double b)
{
    const double sum = a + b, b_in_sum = sum - a;
    return (Pair){sum, (a - (sum - b_in_sum)) + (b - b_in_sum)};
}

/* Halves have 26 and 27 bits, so that products of halves are exact, or all but the smallest. */
static Pair exact_product(double a, double b)
{
    const double a_high = from_bits(bits_of(a) >> 27 << 27), a_low = a - a_high;
    const double b_high = from_bits(bits_of(b) >> 27 << 27), b_low = b - b_high;
    const double product = a * b;
    return (Pair){product,
                  ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static Pair product(Pair a, Pair b)
{
    const Pair p = exact_product(a.high, b.high);
    return (Pair){p.high, p.low + (a.high * b.low + a.low * b.high)};
}

/* ---- ln x ---- */

/* x = 2^whole · (1 + fraction), with 1 + fraction from √½ to √2. */
typedef struct {
    double whole, fraction;
} Binary;

static Binary binary_of(double x)
{
    const bool denormal = x < 0x1p-1022;
    const uint64_t bits = bits_of(denormal ? x * 0x1p54 : x), sqrt_half = 0x3fe6a09e667f3bcd;
    const int64_t whole = (int64_t)(bits - sqrt_half) >> 52;
    return (Binary){(double)(whole - (denormal ? 54 : 0)),
                    from_bits(bits - ((uint64_t)whole << 52)) - 1};
}

/* With s = f/(2 + f) and z = s², ln(1 + f) = 2 artanh s = 2s + s·z·(2/3 + z·log_tail(z)). */
static double log_tail(double z)
{
    return 0.40000000000002256 +
           z * (0.28571428570099205 +
                z * (0.22222222519983953 +
                     z * (0.18181784362098471 +
                          z * (0.15386757550816288 +
                               z * (0.13256812858632924 + z * 0.13196372358300104)))));
}

double elementary_log(double x)
{
    if (!(x > 0 && x < INFINITY))
        return x == 0 ? -INFINITY : x < 0 ? NAN : x;
    const Binary b = binary_of(x);
    const double f = b.fraction, s = f / (2 + f), z = s * s;
    /* 2s = f − s·f, where f is exact and the rest smaller. */
    const double less = s * (f - z * (2.0 / 3 + z * log_tail(z)));
    return b.whole * LN2_HIGH + (f - (less - b.whole * LN2_LOW));
}

/* ln x with about 64 bits, for 0 < x < infinity. */
static Pair log_pair(double x)
{
    const Binary b = binary_of(x);
    const double f = b.fraction;
    const Pair sum = exact_sum(2, f);
    Pair s = {.high = f / sum.high};
    const Pair back = exact_product(s.high, sum.high);
    s.low = ((f - back.high) - back.low - s.high * sum.low) / sum.high;

    const Pair z = product(s, s);
    Pair third = exact_sum(2.0 / 3, z.high * log_tail(z.high));
    third.low += 0x1.5555555555555p-55; /* what 2.0 / 3 lacks */
    const Pair rest = product(s, product(z, third));

    const Pair whole = exact_sum(b.whole * LN2_HIGH, 2 * s.high);
    const Pair high = exact_sum(whole.high, rest.high);
    const double low = high.low + whole.low + (2 * s.low + rest.low + b.whole * LN2_LOW);
    return exact_sum(high.high, low);
}

/* base^exponent = e^(exponent · ln base). Results near the largest multiply an error of the
 * exponent by 700, hence the logarithm in two parts. */
double elementary_power(double base, double exponent)
{
    const Pair log = log_pair(base);
    const double high = exponent * log.high;
    if (!(fabs(high) < 800))
        return elementary_exp(high);
    const Pair product = exact_product(exponent, log.high);
    return exp_of_sum(product.high, product.low + exponent * log.low);
}

/* ---- Sine and cosine ---- */

/* sin or cos (if `quarters` is 1) of an angle: of the angle plus `quarters` quarters of a turn. */
static double wave(double angle, uint64_t quarters)
{
    /* angle = n·π/2 + r with |r| <= π/4. π/2 comes in four parts, of which the first three have 30
     * bits, so that n below 2^23 times each is exact. */
    const double shifted = angle * 0.6366197723675814 + ROUNDER, n = shifted - ROUNDER;
    const Pair first = exact_sum(angle - n * 0x1.921fb548p+0, n * 0x1.de973dc8p-31);
    const Pair second = exact_sum(first.high, n * 0x1.9d9cceb8p-62);
    const Pair r = exact_sum(second.high, first.low + second.low + n * 0x1.1fc8f8cbb5bf7p-93);

    quarters += bits_of(shifted); /* n modulo 4 is in its last bits */
    const double sign = quarters & 2 ? -1 : 1, z = r.high * r.high;
    if (quarters & 1) { /* 1 − z/2 + z²·p(z), and what rounding takes from the difference */
        const double p =
            0.0416666666666666 +
            z * (-0.0013888888888874125 +
                 z * (2.480158728948263e-05 +
                      z * (-2.755731435243976e-07 +
                           z * (2.0875723285276813e-09 + z * -1.1359648321936381e-11))));
        const double high = 1 - z / 2;
        return sign * (high + (((1 - high) - z / 2) + (z * z * p - r.high * r.low)));
    }
    /* r + r·z·p(z) */
    const double p = -0.16666666666666632 +
                     z * (0.008333333333322413 +
                          z * (-0.00019841269829807954 +
                               z * (2.7557313691947815e-06 +
                                    z * (-2.5050758116991184e-08 + z * 1.5896795609584485e-10))));
    return sign * (r.high + (r.high * z * p + r.low * (1 - z / 2)));
}

double elementary_sin(double angle)
{
    return wave(angle, 0);
}

double elementary_cos(double angle)
{
    return wave(angle, 1);
}
