/* linear.h: y = x·W + b, for each of N rows; and logits, which are x·Wᵀ. */
#ifndef PULGA_LINEAR_H
#define PULGA_LINEAR_H

#include "model/matrix/matrix.h"

typedef struct {
    Real *weight; /* [in, out] */
    Real *bias;   /* (out)     */
    int in, out;
    Rounding rounding; /* of the weight, if the model only reads: see model/gpt.h */
} Linear;

/* y (N, out), x (N, in). Backward sets dx and adds to dp, as every layer does. */
void linear_forward(Real *y, Linear p, const Real *x, int N);
void linear_backward(Real *dx, Linear dp, const Real *dy, Linear p, const Real *x, int N);

/* The model's last layer, a score for every token: logits = x·Wᵀ. */
typedef struct {
    Real *weight; /* [V, C] a row for each token: the embedding's table can serve (a tied head) */
    int width, vocabulary; /* C V */
    Rounding rounding;
} LogitsWeights;

/* logits (N, V), x (N, C). */
void logits_forward(Real *logits, LogitsWeights p, const Real *x, int N);
void logits_backward(Real *dx, LogitsWeights dp, const Real *dlogits, LogitsWeights p,
                     const Real *x, int N);

#endif
