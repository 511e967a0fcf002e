/* elementary.c: our e^x against the C library's in double, for floats of every sign and exponent
 * and many fractions; PULGA_ALL_FLOATS=1 tests all floats (two minutes). */
#include <float.h>
#include <stdlib.h>

#include "model/elementary.h"
#include "tests/helpers/close.h"

/* The error of a result in units in the last place. */
static double units_off(float got, double truth)
{
    const float rounded = (float)truth;
    if (isinf(rounded) || isinf(got))
        return rounded == got ? 0 : INFINITY;
    int exponent;
    frexp(truth, &exponent);
    const double unit = ldexp(1, exponent - FLT_MANT_DIG);
    return fabs((double)got - truth) / fmax(unit, 0x1p-149);
}

static void within_two_units_in_the_last_place(void **state)
{
    (void)state;
    const uint64_t step = getenv("PULGA_ALL_FLOATS") ? 1 : 1499;
    double worst = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
        const uint32_t pattern = (uint32_t)bits;
        float x;
        memcpy(&x, &pattern, sizeof x);
        if (isnan(x))
            continue;
        const double off = units_off(exp_float(x), exp((double)x));
        if (!(off <= 2)) /* so that a NAN fails too */
            fail_msg("e^%.9g is %.9g, %g units off", (double)x, (double)exp_float(x), off);
        worst = fmax(worst, off);
    }
    print_message("worst: %.3f units in the last place\n", worst);
}

static void the_ends_of_the_range(void **state)
{
    (void)state;
    assert_true(exp_float(0) == 1 && exp_float(-0.0f) == 1);
    assert_true(isinf(exp_float(INFINITY)) && isinf(exp_float(88.8f)));
    assert_true(exp_float(-INFINITY) == 0 && exp_float(-104) == 0);
    assert_true(exp_float(-103) > 0);
    assert_true(isnan(exp_float(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_two_units_in_the_last_place),
                                       cmocka_unit_test(the_ends_of_the_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
