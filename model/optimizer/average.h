/* average.h: a mean of the weights of all steps so far, in which late steps count most:
 *
 *     a = a + min(1, 10/t)·(w − a)
 *
 * so that after t steps those of the last tenth make up about two thirds of it. A model with the
 * averaged weights makes fewer errors of chance than one with the last weights. */
#ifndef PULGA_AVERAGE_H
#define PULGA_AVERAGE_H

#include "base/base.h"

/* Adds the weights w of step t, which counts from 1, to the average. */
void average_add(Real *average, const Real *w, size_t count, int64_t t);

#endif
