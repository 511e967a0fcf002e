/* embedding.c: forward adds two rows of the tables; backward adds each row's gradient to the same
 * two rows. */
#include "embedding.h"

#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"

void embedding_forward(Real *y, Embedding p, const Batch *batch, int C)
{
    const Matrix wte = matrix_rounded(p.wte, 1, C, p.rounding); /* a row for each token */
    OMP(parallel for if(worth_threads(batch->rows, C)))
    for (int s = 0; s < batch->sequences; s++) {
        const int first = batch->start[s];
        for (int i = first; i < batch->start[s + 1]; i++) {
            Real *out = ROW(y, i, C);
            matrix_read(out, matrix_rows(wte, batch->tokens[i], 1));
            if (!p.wpe)
                continue;
            const Real *position = ROW(p.wpe, batch_past(batch, s) + i - first, C);
            for (int c = 0; c < C; c++)
                out[c] += position[c];
        }
    }
}

void embedding_backward(Embedding dp, const Real *dy, const Batch *batch, int C, bool learned)
{
    /* y[i] = wte[token] + wpe[position]; rows may share a token */
    OMP(parallel if (worth_threads(batch->rows, C)))
    {
        const Columns own = columns_of_thread(C);
        for (int s = 0; s < batch->sequences; s++) {
            const int first = batch->start[s];
            for (int i = first; i < batch->start[s + 1]; i++) {
                Real *dtoken = ROW(dp.wte, batch->tokens[i], C);
                const Real *dout = ROW(dy, i, C);
                for (int c = own.from; c < own.end; c++)
                    dtoken[c] += dout[c];
                if (!learned)
                    continue;
                Real *dposition = ROW(dp.wpe, batch_past(batch, s) + i - first, C);
                for (int c = own.from; c < own.end; c++)
                    dposition[c] += dout[c];
            }
        }
    }
}

void embedding_sinusoids(Real *wpe, int T, int C)
{
    OMP(parallel for)
    for (int p = 0; p < T; p++)
        for (int c = 0; c < C; c++) {
            const double angle = p / elementary_power(10000, (double)(c - c % 2) / C);
            const double wave = c % 2 ? elementary_cos(angle) : elementary_sin(angle);
            ROW(wpe, p, C)[c] = (Real)(float)(wave / sqrt(C));
        }
}
