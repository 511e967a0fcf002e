/* linear.h: y = x·W + b, for each of N rows; and logits, which are x·Wᵀ. */
#ifndef PULGA_LINEAR_H
#define PULGA_LINEAR_H

#include "base/base.h"

typedef struct {
    Real *weight; /* [in, out] */
    Real *bias;   /* (out)     */
    int in, out;
} Linear;

/* y (N, out), x (N, in). Backward sets dx and adds to dp, as every layer does. */
void linear_forward(Real *y, Linear p, const Real *x, int N);
void linear_backward(Real *dx, Linear dp, const Real *dy, Linear p, const Real *x, int N);

/* The model's last layer, a score for every token: logits = x·Wᵀ, logits (N, V), x (N, C). W [V, C]
 * has a row for each token, so that the embedding's table can serve (a tied head). */
void logits_forward(Real *logits, const Real *weight, const Real *x, int N, int C, int V);
void logits_backward(Real *dx, Real *dweight, const Real *dlogits, const Real *weight,
                     const Real *x, int N, int C, int V);

#endif
