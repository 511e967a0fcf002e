/* feedforward.h: y = act(x·W1 + b1)·W2 + b2, for each of N rows; act is relu, max(0, h), or gelu
 * in its tanh form, h/2 · (1 + tanh(√(2/π) · (h + 0.044715 h³))), or silu, h/(1 + e^−h).
 *
 * If it is gated, W1 makes two values side by side: y = (act(g)∘u)·W2 + b2 with
 * g | u = x·W1 + b1. */
#ifndef PULGA_FEEDFORWARD_H
#define PULGA_FEEDFORWARD_H

#include "model/shape/gpt_config.h"
#include "linear.h"

typedef struct {
    Linear widen;  /* [C, F] (F), gated [C, 2·F] (2·F) */
    Linear narrow; /* [F, C] (C) */
} FeedForwardWeights;

typedef struct {
    FeedForwardWeights p, dp;
    Activation activation;
    bool gated;
    struct {
        Real *hidden; /* (N, F) h, gated (N, 2·F) g | u: before the activation */
        Real *active; /* (N, F) act(h) or act(g)∘u                             */
    } keep;
    Real *dhidden; /* (N, F), gated (N, 3·F): scratch memory, which all layers of a model share */
} FeedForward;

FeedForward feedforward_new(Arena *arena, FeedForwardWeights p, FeedForwardWeights dp,
                            Activation activation, bool gated, Real *dhidden, int N);

void feedforward_forward(Real *y, const FeedForward *layer, const Real *x, int N);
void feedforward_backward(Real *dx, const FeedForward *layer, const Real *dy, const Real *x, int N);

#endif
