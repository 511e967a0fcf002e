/* close.h: what cmocka lacks: tests that list themselves; comparisons of arrays, of gradients with
 * central differences, and of times; and what a function prints. */
#ifndef PULGA_CLOSE_H
#define PULGA_CLOSE_H

#include "base/base.h"

#include <setjmp.h>
#include <cmocka.h>

/* A test: TEST(what_it_shows) { ... }. The main() of close.c runs those of a file, from the first
 * one to the last; begin_tests() opens what they share, if the file has such a function, and gives
 * it to each as *state; end_tests() closes it. */
#define TEST(name)                                             \
    static void test_##name(void **);                          \
    __attribute__((constructor)) static void list_##name(void) \
    {                                                          \
        list_test(__LINE__, #name, test_##name);               \
    }                                                          \
    static void test_##name(__attribute__((unused)) void **state)
void list_test(int line, const char *name, CMUnitTestFunction test);
int begin_tests(void **state), end_tests(void **state);

/* The processor time of this process. Tests of speed measure it, since wall time also depends on
 * what else the machine does. */
double processor_seconds(void);

/* What is printed on standard output from capture_begin() to capture_end(), which returns it; the
 * caller frees it. */
void capture_begin(void);
char *capture_end(void);

/* Fails unless |got[i] - wanted[i]| <= tolerance for all i, and reports the worst i. */
void assert_close(const char *what, const Real *got, const double *wanted, size_t count,
                  double tolerance);
void assert_close_one(const char *what, double got, double wanted, double tolerance);

/* Numbers for a test: the same every time, between -1 and 1, all different and none near 0. */
void fill(Real *at, size_t count, int salt);

/* Compares `gradient` with central differences of `loss`, a function of the numbers at `at`: each
 * error must be within 1e-6 of the largest gradient of the array. Also fails if all gradients are
 * 0, unless zero_is_true. Only the double build is exact enough. */
typedef double LossFunction(void *context);
void assert_gradient(const char *what, Real *at, const Real *gradient, size_t count,
                     LossFunction *loss, void *context, bool zero_is_true);

#endif
