/* feedforward.h: y = act(x·W1 + b1)·W2 + b2, for each of N rows; act is relu, max(0, h), or gelu
 * in its tanh form, h/2 · (1 + tanh(√(2/π) · (h + 0.044715 h³))). */
#ifndef PULGA_FEEDFORWARD_H
#define PULGA_FEEDFORWARD_H

#include "model/shape/gpt_config.h"
#include "linear.h"

typedef struct {
    Linear widen;  /* [C, F] (F) */
    Linear narrow; /* [F, C] (C) */
} FeedForwardWeights;

typedef struct {
    FeedForwardWeights p, dp;
    Activation activation;
    struct {
        Real *hidden; /* (N, F) h, before the activation */
        Real *active; /* (N, F) act(h)                   */
    } keep;
    Real *dhidden; /* (N, F) scratch memory, which all layers of a model share */
} FeedForward;

FeedForward feedforward_new(Arena *arena, FeedForwardWeights p, FeedForwardWeights dp,
                            Activation activation, Real *dhidden, int N);

void feedforward_forward(Real *y, const FeedForward *layer, const Real *x, int N);
void feedforward_backward(Real *dx, const FeedForward *layer, const Real *dy, const Real *x, int N);

#endif
