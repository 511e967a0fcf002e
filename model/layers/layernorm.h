/* layernorm.h: y = gain∘(x − mean)·rstd + bias, for each of N rows of C; here
 * rstd = 1/√(variance + 1e-5) and the variance is the biased one. */
#ifndef PULGA_LAYERNORM_H
#define PULGA_LAYERNORM_H

#include "base/base.h"

typedef struct {
    Real *gain, *bias; /* (C) (C) */
} LayerNorm;

typedef struct {
    Real *mean, *rstd; /* (N) (N): what backward needs */
} LayerNormKeep;

LayerNormKeep layernorm_keep(Arena *arena, int N);

void layernorm_forward(Real *y, LayerNormKeep keep, LayerNorm p, const Real *x, int N, int C);

/* dx may be dy: a row of dy is read before that row of dx is set. */
void layernorm_backward(Real *dx, LayerNorm dp, const Real *dy, LayerNormKeep keep, LayerNorm p,
                        const Real *x, int N, int C);

#endif
