/* close.c: central differences, with a step that balances rounding and curvature in double. The
 * tests of a file are listed by constructors, which run before main(). */
#include "close.h"

#include <time.h>

/* Each at the number of its line. cmocka passes over those without a name. */
static struct CMUnitTest tests[1000];

void list_test(int line, const char *name, CMUnitTestFunction test)
{
    if ((size_t)line >= sizeof tests / sizeof *tests)
        die("%s: a file of tests should not be so long", name);
    tests[line] = (struct CMUnitTest){.name = name, .test_func = test};
}

__attribute__((weak)) int begin_tests(void **state);
__attribute__((weak)) int end_tests(void **state);

__attribute__((weak)) int main(void)
{
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}

double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static struct {
    FILE *screen;
    char *text;
    size_t size;
} captured;

void capture_begin(void)
{
    captured.screen = stdout;
    stdout = memory_stream(&captured.text, &captured.size);
}

char *capture_end(void)
{
    fclose(stdout);
    stdout = captured.screen;
    return captured.text;
}

void assert_close(const char *what, const Real *got, const double *wanted, size_t count,
                  double tolerance)
{
    size_t worst = 0;
    double error = 0;
    for (size_t i = 0; i < count && !isnan(error); i++) { /* a NAN is the worst */
        const double here = fabs((double)got[i] - wanted[i]);
        if (!(here <= error)) {
            worst = i;
            error = here;
        }
    }
    if (!(error <= tolerance))
        fail_msg("%s[%zu] is %.9g, wanted %.9g: off by %.3g, more than %.3g", what, worst,
                 (double)got[worst], wanted[worst], error, tolerance);
}

void assert_close_one(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s is %.12g, wanted %.12g: off by %.3g, more than %.3g", what, got, wanted,
                 fabs(got - wanted), tolerance);
}

void fill(Real *at, size_t count, int salt)
{
    for (size_t i = 0; i < count; i++) {
        const double wave = sin(1.7 * (double)(i + 1) + 0.61 * salt) * 0.9;
        at[i] = (Real)(wave + (wave < 0 ? -0.05 : 0.05));
    }
}

void assert_gradient(const char *what, Real *at, const Real *gradient, size_t count,
                     LossFunction *loss, void *context, bool zero_is_true)
{
    const double step = 1e-5;
    double largest = 0, worst_error = 0, worst_difference = 0;
    size_t worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs((double)gradient[i]);
        largest = size > largest ? size : largest; /* fmax: GCC 12 for aarch64 fails at that */
    }
    for (size_t i = 0; i < count && !isnan(worst_error); i++) {
        const Real before = at[i];
        at[i] = (Real)((double)before + step);
        const double above = loss(context);
        at[i] = (Real)((double)before - step);
        const double below = loss(context);
        at[i] = before;
        const double difference = (above - below) / (2 * step);
        const double error = fabs(difference - (double)gradient[i]);
        if (!(error <= worst_error)) {
            worst = i;
            worst_error = error;
            worst_difference = difference;
        }
    }
    if (zero_is_true) {
        /* Differences of losses are not more exact than this. */
        if (!(worst_error <= 1e-7 && largest <= 1e-10))
            fail_msg("d%s should be 0; it is %.3g at most, and %.3g off", what, largest,
                     worst_error);
        return;
    }
    if (!(largest > 0))
        fail_msg("all gradients of %s are 0", what);
    if (!(worst_error <= 1e-6 * largest))
        fail_msg("d%s[%zu] is %.9g, central differences give %.9g: off by %.3g of the largest",
                 what, worst, (double)gradient[worst], worst_difference, worst_error / largest);
}
