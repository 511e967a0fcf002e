/* close.h: what cmocka lacks: arrays that must be close, and central differences. */
#ifndef PULGA_CLOSE_H
#define PULGA_CLOSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"

/* Fails unless |got[i] - wanted[i]| <= tolerance for all i, telling the worst one. */
void assert_close(const char *what, const Real *got, const double *wanted, size_t count,
                  double tolerance);
void assert_close_one(const char *what, double got, double wanted, double tolerance);

/* Numbers for a test: the same every time, between -1 and 1, none near 0 and none alike. */
void fill(Real *at, size_t count, int salt);

/* Holds `gradient` against central differences of `loss`, a function of the numbers at `at`: each
 * error within 1e-6 of the largest gradient of the array. Fails where all gradients are 0, unless
 * that is the truth. Only the double build is exact enough. */
typedef double LossFunction(void *context);
void assert_gradient(const char *what, Real *at, const Real *gradient, size_t count,
                     LossFunction *loss, void *context, bool zero_is_true);

#endif
