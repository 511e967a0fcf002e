/* adam.h: AdamW, that is Adam with decoupled weight decay, for some numbers:
 *
 *     m = β1·m + (1 − β1)·g           v = β2·v + (1 − β2)·g²
 *     M = m/(1 − β1^t)                V = v/(1 − β2^t)
 *     w = w − rate · (decay·w + M / (√V + ε))
 *
 * with β1 = 0.9 and β2 = 0.98 as in the 2017 paper, which has ε = 1e-9. A weight whose gradients
 * are much smaller than ε hardly changes, else its step has about the size of the rate. */
#ifndef PULGA_ADAM_H
#define PULGA_ADAM_H

#include "base/base.h"

/* One step with the gradients scale · g; sets g to 0 for the next one. t counts from 1. It holds an
 * `omp for nowait`, which shares the loop among the threads of the region it is called in: all of
 * them call it, or one thread outside of any. */
void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, double epsilon, int64_t t);

#endif
