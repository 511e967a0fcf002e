/* adam.h: one step of the optimiser, AdamW (Adam with decoupled weight decay):
 *
 *     m = β1·m + (1 − β1)·g           v = β2·v + (1 − β2)·g²
 *     M = m/(1 − β1^t)                V = v/(1 − β2^t)
 *     w = w − rate · (decay·w + M / (√V + ε))
 *
 * with β1 = 0.9, β2 = 0.98 and ε = 1e-9 as in the 2017 paper. Only matrices decay, not biases and
 * gains. */
#ifndef PULGA_ADAM_H
#define PULGA_ADAM_H

#include "gpt.h"

typedef struct {
    Real *m, *v; /* moments: blocks laid out like the weights */
} Adam;

Adam adam_new(const Gpt *gpt);
void adam_free(Adam *adam);

/* The Euclidean norm of all gradients. */
double adam_gradient_norm(const Gpt *gpt);

/* Updates the weights with scale · their gradients (a scale below 1 clips) at step t, counted from
 * 1, and sets the gradients to 0 for the next step. */
void adam_step(Adam *adam, Gpt *gpt, double scale, double rate, double decay, int64_t t);

/* The same for one tensor, on plain arrays. It holds an `omp for nowait`, which shares the loop
 * among the threads of the region it is called in: all of them call it, or one thread outside of
 * any. */
void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, int64_t t);

#endif
