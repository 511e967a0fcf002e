/* layernorm.c: forward row by row in two passes over a row (mean, then variance); backward computes
 * the normalised x again from the mean and rstd that forward kept. */
#include "layernorm.h"

#include <tgmath.h>

#include "base/numbers/lanes.h"
#include "base/parallel/threads.h"

LayerNorm layernorm_new(Arena *arena, LayerNormWeights p, LayerNormWeights dp, int N)
{
    LayerNorm layer = {.p = p, .dp = dp};
    layer.keep.mean = arena_take(arena, (size_t)N, 1);
    layer.keep.rstd = arena_take(arena, (size_t)N, 1);
    return layer;
}

void layernorm_forward(Real *y, const LayerNorm *layer, const Real *x, int N)
{
    const LayerNormWeights p = layer->p;
    const int C = p.width;

    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++) {
        const Real *in = ROW(x, i, C);
        Real *out = ROW(y, i, C);

        /* 1  mean and variance; the mean of RMSNorm is 0 */
        Real sum, squares;
        SUM_IN_LANES(Real, sum, c, C, in[c]);
        const Real mean = p.rms ? 0 : sum / (Real)C;
        SUM_IN_LANES(Real, squares, c, C, (in[c] - mean) * (in[c] - mean));
        const Real rstd = 1 / sqrt(squares / (Real)C + p.epsilon);

        /* 2  y = gain∘n + bias, with n = (x − mean)·rstd */
        for (int c = 0; c < C; c++)
            out[c] = p.gain[c] * ((in[c] - mean) * rstd) + p.bias[c];

        layer->keep.mean[i] = mean;
        layer->keep.rstd[i] = rstd;
    }
}

void layernorm_backward(Real *dx, const LayerNorm *layer, const Real *dy, const Real *x, int N)
{
    const LayerNormWeights p = layer->p, dp = layer->dp;
    const int C = p.width;

    /* 2  y = gain∘n + bias, with respect to gain and bias */
    OMP(parallel if (worth_threads(N, C)))
    {
        const Columns own = columns_of_thread(C);
        for (int i = 0; i < N; i++) {
            const Real *in = ROW(x, i, C), *dout = ROW(dy, i, C);
            const Real mean = layer->keep.mean[i], rstd = layer->keep.rstd[i];
            for (int c = own.from; c < own.end; c++) {
                dp.gain[c] += dout[c] * ((in[c] - mean) * rstd);
                dp.bias[c] += dout[c];
            }
        }
    }

    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++) {
        const Real *in = ROW(x, i, C), *dout = ROW(dy, i, C);
        const Real mean = layer->keep.mean[i], rstd = layer->keep.rstd[i];
        Real *din = ROW(dx, i, C);

        /* 2  y = gain∘n + bias, with respect to n: dn = gain∘dy */
        Real dn_sum, dn_n_sum;
        SUM_IN_LANES(Real, dn_sum, c, C, p.gain[c] * dout[c]);
        SUM_IN_LANES(Real, dn_n_sum, c, C, p.gain[c] * dout[c] * ((in[c] - mean) * rstd));

        /* 1  n = (x − mean)·rstd. Mean and rstd depend on every x of the row: with
         *        ∂mean/∂x_i = 1/C   and   ∂rstd/∂x_i = −rstd²·n_i/C
         *        ∂n_j/∂x_i = rstd·([i = j] − 1/C − n_i·n_j/C)
         *    exactly, since epsilon is inside rstd; so, with means over the row,
         *        dx = rstd·(dn − mean(dn) − n·mean(dn∘n))
         *    where mean(dn) is 0 if the mean of x is */
        const Real dn_mean = p.rms ? 0 : dn_sum / (Real)C, dn_n_mean = dn_n_sum / (Real)C;
        for (int c = 0; c < C; c++) {
            const Real n = (in[c] - mean) * rstd;
            din[c] = rstd * (p.gain[c] * dout[c] - dn_mean - n * dn_n_mean);
        }
    }
}
