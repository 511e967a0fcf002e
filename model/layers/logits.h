/* logits.h: the model's last layer, a score for every token: logits = x·Wᵀ, for each of N rows.
 *
 * W [V, C] has a row for each token, so that the embedding's table can serve (a tied head). */
#ifndef PULGA_LOGITS_H
#define PULGA_LOGITS_H

#include "base/base.h"

/* logits (N, V), x (N, C). */
void logits_forward(Real *logits, const Real *weight, const Real *x, int N, int C, int V);
void logits_backward(Real *dx, Real *dweight, const Real *dlogits, const Real *weight,
                     const Real *x, int N, int C, int V);

#endif
