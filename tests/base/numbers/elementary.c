/* elementary.c: our functions against the C library's in long double, and their bits against those
 * of the machine on which this was written. e^x in float is tried on floats of every sign and
 * exponent and many fractions; PULGA_ALL_FLOATS=1 tests all floats (two minutes). */
#include <float.h>

#include "base/files/file.h"
#include "base/numbers/elementary.h"
#include "base/numbers/random.h"
#include "tests/helpers/test.h"

enum { TRIES = 200000 };

/* The error of a result in units in the last place of a type with `bits` bits, whose smallest
 * denormal is `least`. */
static double units_off(double got, long double truth, int bits, double least)
{
    const double rounded = bits == FLT_MANT_DIG ? (double)(float)truth : (double)truth;
    if (isinf(rounded) || isinf(got))
        return rounded == got ? 0 : INFINITY;
    int exponent;
    frexpl(truth, &exponent);
    return (double)(fabsl((long double)got - truth) / fmaxl(ldexpl(1, exponent - bits), least));
}

TEST(exp_in_float_is_within_a_unit)
{
    const uint64_t step = getenv("PULGA_ALL_FLOATS") ? 1 : 1499;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
        const uint32_t pattern = (uint32_t)bits;
        float x;
        memcpy(&x, &pattern, sizeof x);
        if (isnan(x))
            continue;
        const double off = units_off((double)exp_float(x), exp((double)x), FLT_MANT_DIG, 0x1p-149);
        if (!(off <= 1)) /* so that a NAN also fails */
            fail_msg("e^%.9g is %.9g, %g units off", (double)x, (double)exp_float(x), off);
    }
}

TEST(the_ends_of_the_range_in_float)
{
    assert_true(exp_float(0) == 1 && exp_float(-0.0f) == 1);
    assert_true(isinf(exp_float(INFINITY)) && isinf(exp_float(88.8f)));
    assert_true(exp_float(-INFINITY) == 0 && exp_float(-104) == 0);
    assert_true(exp_float(-103) > 0);
    assert_true(isnan(exp_float(NAN)));
}

static uint64_t draw_bits(uint32_t which)
{
    return random_bits(3, RANDOM_START, (Random4){{which}});
}

/* A number of the interval, each equally likely. */
static double within(double from, double to, uint32_t which)
{
    return from + (to - from) * (double)(draw_bits(which) >> 11) * 0x1p-53;
}

/* A positive number of any exponent, denormals among them. */
static double of_any_size(uint32_t which)
{
    return from_bits(draw_bits(which) % bits_of(INFINITY));
}

static void check(const char *name, double x, double got, long double truth)
{
    const double off = units_off(got, truth, DBL_MANT_DIG, 0x1p-1074);
    if (!(off <= 1))
        fail_msg("%s of %.17g is %.17g, %g units off", name, x, got, off);
}

TEST(functions_are_within_a_unit)
{
    const long double quarter = 1.57079632679489661923132169163975144L;
    for (uint32_t i = 0; i < TRIES; i++) {
        const double x = i % 2 ? within(-750, 712, i) : within(-1, 1, i);
        check("exp", x, elementary_exp(x), expl(x));
        const double size = i % 2 ? of_any_size(i) : within(0.5, 2, i);
        check("log", size, elementary_log(size), logl(size));

        const double whole = (double)(draw_bits(i) % 6300000); /* also near their zeros */
        const double angle = i % 4 == 0   ? within(-1e7, 1e7, i)
                             : i % 4 == 1 ? (double)(whole * quarter)
                             : i % 4 == 2 ? whole
                                          : within(-7, 7, i);
        check("sin", angle, elementary_sin(angle), sinl(angle));
        check("cos", angle, elementary_cos(angle), cosl(angle));

        const double base = i % 2 ? of_any_size(2 * i) : within(0.5, 2, 2 * i);
        const double exponent = within(-745, 710, 2 * i + 1) / elementary_log(base);
        if (base > 0 && isfinite(exponent))
            check("power", base, elementary_power(base, exponent), powl(base, exponent));
    }
}

TEST(special_values)
{
    assert_true(elementary_exp(0) == 1 && elementary_exp(-1e-320) == 1);
    assert_true(isinf(elementary_exp(INFINITY)) && isinf(elementary_exp(709.8)));
    assert_true(isfinite(elementary_exp(709.78)));
    assert_true(elementary_exp(-INFINITY) == 0 && elementary_exp(-1e300) == 0);
    assert_true(elementary_exp(-745) == 0x1p-1074 && elementary_exp(-745.2) == 0);
    assert_true(isnan(elementary_exp(NAN)));

    assert_true(elementary_log(1) == 0 && elementary_log(0.5) == -M_LN2);
    assert_true(elementary_log(0) == -INFINITY && elementary_log(-0.0) == -INFINITY);
    assert_true(elementary_log(INFINITY) == INFINITY);
    assert_true(isnan(elementary_log(-1)) && isnan(elementary_log(NAN)));

    assert_true(elementary_sin(0) == 0 && elementary_cos(0) == 1 && elementary_cos(M_PI) == -1);
    assert_true(elementary_sin(1e-310) == 1e-310);
    assert_true(isnan(elementary_sin(INFINITY)) && isnan(elementary_cos(NAN)));

    assert_true(elementary_power(1, 1e300) == 1 && elementary_power(7, 0) == 1);
    assert_true(elementary_power(2, -1074) == 0x1p-1074 && elementary_power(1024, 3) == 0x1p30);
    assert_true(isinf(elementary_power(2, 1024)) && elementary_power(10, -1e9) == 0);
}

/* Every machine and compiler must come to this checksum, by vector instructions or without. */
TEST(the_bits_are_the_same_everywhere)
{
    enum { COUNT = 3000, FUNCTIONS = 5 };
    static double y[FUNCTIONS][COUNT];
    static float floats[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        y[0][i] = elementary_exp(within(-746, 710, i));
        y[1][i] = elementary_log(of_any_size(i));
        y[2][i] = elementary_sin(within(-1e7, 1e7, i));
        y[3][i] = elementary_cos(within(-10, 10, i));
        y[4][i] = elementary_power(within(0, 100, i), within(-20, 20, i + COUNT));
        floats[i] = (float)within(-104, 89, i);
    }
    for (int i = 0; i < COUNT; i++)
        floats[i] = exp_float(floats[i]);
    assert_int_equal(checksum_of(y, sizeof y), 0x7b3164a33c1b92a2);
    assert_int_equal(checksum_of(floats, sizeof floats), 0x4dd9db96a7fd9d80);
}
