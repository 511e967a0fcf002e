/* feedforward.h: y = act(x·W1 + b1)·W2 + b2, for each of N rows; act is relu, max(0, h), or gelu
 * in its tanh form, h/2 · (1 + tanh(√(2/π) · (h + 0.044715 h³))). */
#ifndef PULGA_FEEDFORWARD_H
#define PULGA_FEEDFORWARD_H

#include "linear.h"
#include "model/shape/gpt_config.h"

typedef struct {
    Linear widen;  /* [C, F] (F) */
    Linear narrow; /* [F, C] (C) */
} FeedForward;

typedef struct {
    Real *hidden; /* (N, F) h, before the activation */
    Real *active; /* (N, F) act(h)                   */
} FeedForwardKeep;

typedef struct {
    int width, hidden; /* C F */
    Activation activation;
} FeedForwardShape;

typedef struct {
    Real *dhidden; /* (N, F) */
} FeedForwardWork;

FeedForwardKeep feedforward_keep(Arena *arena, FeedForwardShape shape, int N);
FeedForwardWork feedforward_work(Arena *arena, FeedForwardShape shape, int N);

void feedforward_forward(Real *y, FeedForwardKeep keep, FeedForward p, const Real *x, int N,
                         FeedForwardShape shape);
void feedforward_backward(Real *dx, FeedForward dp, FeedForwardWork work, const Real *dy,
                          FeedForwardKeep keep, FeedForward p, const Real *x, int N,
                          FeedForwardShape shape);

#endif
