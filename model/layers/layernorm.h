/* layernorm.h: y = gain∘(x − mean)·rstd + bias, for each of N rows of C; here
 * rstd = 1/√(variance + epsilon) and the variance is the biased one.
 *
 * RMSNorm is the same with a mean and a bias of 0: y = gain∘x/√(mean(x²) + epsilon). */
#ifndef PULGA_LAYERNORM_H
#define PULGA_LAYERNORM_H

#include "base/base.h"

typedef struct {
    Real *gain, *bias; /* (C) (C) */
    int width;         /* C       */
    bool rms;          /* RMSNorm */
    Real epsilon;
} LayerNormWeights;

typedef struct {
    LayerNormWeights p, dp;
    struct {
        Real *mean, *rstd; /* (N) (N) */
    } keep;
} LayerNorm;

LayerNorm layernorm_new(Arena *arena, LayerNormWeights p, LayerNormWeights dp, int N);

void layernorm_forward(Real *y, const LayerNorm *layer, const Real *x, int N);

/* dx may be dy: a row of dy is read before that row of dx is set. */
void layernorm_backward(Real *dx, const LayerNorm *layer, const Real *dy, const Real *x, int N);

#endif
