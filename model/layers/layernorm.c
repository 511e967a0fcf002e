/* layernorm.c: forward row by row in two passes over a row (mean, then variance); backward computes
 * the normalised x again from the mean and rstd that forward kept. */
#include "layernorm.h"
#include "columns.h"

#include <tgmath.h>

#include "base/numbers/lanes.h"

static const Real EPSILON = (Real)1e-5;

LayerNormKeep layernorm_keep(Arena *arena, int N)
{
    Real *mean = arena_take(arena, (size_t)N, 1);
    return (LayerNormKeep){mean, arena_take(arena, (size_t)N, 1)};
}

void layernorm_forward(Real *y, LayerNormKeep keep, LayerNorm p, const Real *x, int N, int C)
{
    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++) {
        const Real *in = ROW(x, i, C);
        Real *out = ROW(y, i, C);

        /* 1  mean and variance */
        Real sum, squares;
        SUM_IN_LANES(Real, sum, c, C, in[c]);
        const Real mean = sum / (Real)C;
        SUM_IN_LANES(Real, squares, c, C, (in[c] - mean) * (in[c] - mean));
        const Real rstd = 1 / sqrt(squares / (Real)C + EPSILON);

        /* 2  y = gain∘n + bias, with n = (x − mean)·rstd */
        for (int c = 0; c < C; c++)
            out[c] = p.gain[c] * ((in[c] - mean) * rstd) + p.bias[c];

        keep.mean[i] = mean;
        keep.rstd[i] = rstd;
    }
}

void layernorm_backward(Real *dx, LayerNorm dp, const Real *dy, LayerNormKeep keep, LayerNorm p,
                        const Real *x, int N, int C)
{
    /* 2  y = gain∘n + bias, with respect to gain and bias */
    OMP(parallel if (worth_threads(N, C)))
    {
        const Columns own = columns_of_thread(C);
        for (int i = 0; i < N; i++) {
            const Real *in = ROW(x, i, C), *dout = ROW(dy, i, C);
            const Real mean = keep.mean[i], rstd = keep.rstd[i];
            for (int c = own.from; c < own.end; c++) {
                dp.gain[c] += dout[c] * ((in[c] - mean) * rstd);
                dp.bias[c] += dout[c];
            }
        }
    }

    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++) {
        const Real *in = ROW(x, i, C), *dout = ROW(dy, i, C);
        const Real mean = keep.mean[i], rstd = keep.rstd[i];
        Real *din = ROW(dx, i, C);

        /* 2  y = gain∘n + bias, with respect to n: dn = gain∘dy */
        Real dn_sum, dn_n_sum;
        SUM_IN_LANES(Real, dn_sum, c, C, p.gain[c] * dout[c]);
        SUM_IN_LANES(Real, dn_n_sum, c, C, p.gain[c] * dout[c] * ((in[c] - mean) * rstd));

        /* 1  n = (x − mean)·rstd. Mean and rstd depend on every x of the row: with
         *        ∂mean/∂x_i = 1/C   and   ∂rstd/∂x_i = −rstd²·n_i/C
         *        ∂n_j/∂x_i = rstd·([i = j] − 1/C − n_i·n_j/C)
         *    exactly, since epsilon is inside rstd; so, with means over the row,
         *        dx = rstd·(dn − mean(dn) − n·mean(dn∘n)) */
        const Real dn_mean = dn_sum / (Real)C, dn_n_mean = dn_n_sum / (Real)C;
        for (int c = 0; c < C; c++) {
            const Real n = (in[c] - mean) * rstd;
            din[c] = rstd * (p.gain[c] * dout[c] - dn_mean - n * dn_n_mean);
        }
    }
}
