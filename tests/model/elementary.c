/* test_elementary.c: our e^x against the C library's in double, over floats of every sign,
 * exponent and many fractions. PULGA_ALL_FLOATS=1 walks through all of them (two minutes). */
#include <float.h>
#include <stdlib.h>

#include "model/elementary.h"
#include "tests/helpers/close.h"

/* The distance of a result from the truth in units of the last place of a float of that size. */
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

static void test_bounds(void **state)
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
        worst = fmax(worst, units_off(exp_float(x), exp((double)x)));
    }
    print_message("worst: %.3f units in the last place\n", worst);
    assert_true(worst <= 2);
}

static void test_edges(void **state)
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
