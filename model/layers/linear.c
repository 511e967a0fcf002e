/* linear.c: one matrix product and a sum over rows; backward is two products, with the operands
 * transposed as views, and a sum over rows. Logits have no bias. */
#include "linear.h"

#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"

void linear_forward(Real *y, Linear p, const Real *x, int N)
{
    const int in = p.in, out = p.out;

    /* 1  y = x·W */
    matmul(matrix(y, N, out), matrix(x, N, in), matrix_rounded(p.weight, in, out, p.rounding));

    /* 2  y += b, for each row */
    OMP(parallel for if(worth_threads(N, out)))
    for (int i = 0; i < N; i++)
        for (int j = 0; j < out; j++)
            ROW(y, i, out)[j] += p.bias[j];
}

void linear_backward(Real *dx, Linear dp, const Real *dy, Linear p, const Real *x, int N)
{
    const int in = p.in, out = p.out;

    /* 2  y += b       so  db += the sum of dy's rows */
    OMP(parallel if (worth_threads(N, out)))
    {
        const Columns own = columns_of_thread(out);
        for (int i = 0; i < N; i++)
            for (int j = own.from; j < own.end; j++)
                dp.bias[j] += ROW(dy, i, out)[j];
    }

    /* 1  y = x·W      so  dx = dy·Wᵀ  and  dW += xᵀ·dy */
    matmul(matrix(dx, N, in), matrix(dy, N, out), transposed(matrix(p.weight, in, out)));
    matmul_add(matrix(dp.weight, in, out), transposed(matrix(x, N, in)), matrix(dy, N, out));
}

void logits_forward(Real *logits, LogitsWeights p, const Real *x, int N)
{
    const int C = p.width, V = p.vocabulary;
    const Matrix w = matrix_rounded(p.weight, V, C, p.rounding);
    matmul(matrix(logits, N, V), matrix(x, N, C), transposed(w));
}

void logits_backward(Real *dx, LogitsWeights dp, const Real *dlogits, LogitsWeights p,
                     const Real *x, int N)
{
    /* logits = x·Wᵀ   so  dx = dlogits·W  and  dW += dlogitsᵀ·x */
    const int C = p.width, V = p.vocabulary;
    matmul(matrix(dx, N, C), matrix(dlogits, N, V), matrix(p.weight, V, C));
    matmul_add(matrix(dp.weight, V, C), transposed(matrix(dlogits, N, V)), matrix(x, N, C));
}
