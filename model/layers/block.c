/* block.c: see block.h. */
#include "block.h"
#include "base/threads.h"

#include <string.h>

/* out = a + b; out may be a. */
static void add(Real *out, const Real *a, const Real *b, int N, int C)
{
    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++)
            ROW(out, i, C)[c] = ROW(a, i, C)[c] + ROW(b, i, C)[c];
}

/* What a sum passes back: its gradient, once for the way around and, through dropout, once for the
 * branch. */
static void branch_backward(Real *dbranch, const Real *d, int N, int C, RandomPurpose purpose,
                            int layer, Noise noise)
{
    memcpy(dbranch, d, sizeof *d * (size_t)N * (size_t)C);
    dropout(dbranch, N, C, purpose, layer, noise);
}

static void pre_forward(Real *y, BlockKeep keep, BlockWork work, Real *weights, Block p,
                        const Real *x, const Batch *batch, BlockShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.attention.width, layer = shape.attention.layer;

    /* 1 */ layernorm_forward(keep.normed1, keep.norm1, p.norm1, x, N, C);
    /* 2 */ attention_forward(work.branch, keep.attention, work.attention, weights, p.attention,
                              keep.normed1, batch, shape.attention, noise);
    /* 3  middle = x + dropout(branch) */
    dropout(work.branch, N, C, RANDOM_DROP_MIXED, layer, noise);
    add(keep.middle, x, work.branch, N, C);

    /* 4 */ layernorm_forward(keep.normed2, keep.norm2, p.norm2, keep.middle, N, C);
    /* 5 */ feedforward_forward(work.branch, keep.feedforward, p.feedforward, keep.normed2, N,
                                shape.feedforward);
    /* 6  y = middle + dropout(branch) */
    dropout(work.branch, N, C, RANDOM_DROP_FEEDFORWARD, layer, noise);
    add(y, keep.middle, work.branch, N, C);
}

static void pre_backward(Real *d, Block dp, BlockWork work, BlockKeep keep, Block p, const Real *x,
                         const Batch *batch, BlockShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.attention.width, layer = shape.attention.layer;

    /* 6  y = middle + dropout(branch): d is dmiddle already */
    branch_backward(work.branch, d, N, C, RANDOM_DROP_FEEDFORWARD, layer, noise);
    /* 5  branch = feedforward(normed2) */
    feedforward_backward(work.dnormed, dp.feedforward, work.dhidden, work.branch, keep.feedforward,
                         p.feedforward, keep.normed2, N, shape.feedforward);
    /* 4  normed2 = layernorm(middle) */
    layernorm_backward(work.branch, dp.norm2, work.dnormed, keep.norm2, p.norm2, keep.middle, N, C);
    add(d, d, work.branch, N, C);

    /* 3  middle = x + dropout(branch): d is dx already */
    branch_backward(work.branch, d, N, C, RANDOM_DROP_MIXED, layer, noise);
    /* 2  branch = attention(normed1) */
    attention_backward(work.dnormed, dp.attention, work.attention, work.branch, keep.attention,
                       p.attention, keep.normed1, batch, shape.attention, noise);
    /* 1  normed1 = layernorm(x) */
    layernorm_backward(work.branch, dp.norm1, work.dnormed, keep.norm1, p.norm1, x, N, C);
    add(d, d, work.branch, N, C);
}

static void post_forward(Real *y, BlockKeep keep, BlockWork work, Real *weights, Block p,
                         const Real *x, const Batch *batch, BlockShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.attention.width, layer = shape.attention.layer;

    /* 1 */ attention_forward(work.branch, keep.attention, work.attention, weights, p.attention, x,
                              batch, shape.attention, noise);
    /* 2  summed1 = x + dropout(branch) */
    dropout(work.branch, N, C, RANDOM_DROP_MIXED, layer, noise);
    add(keep.summed1, x, work.branch, N, C);
    /* 3 */ layernorm_forward(keep.middle, keep.norm1, p.norm1, keep.summed1, N, C);

    /* 4 */ feedforward_forward(work.branch, keep.feedforward, p.feedforward, keep.middle, N,
                                shape.feedforward);
    /* 5  summed2 = middle + dropout(branch) */
    dropout(work.branch, N, C, RANDOM_DROP_FEEDFORWARD, layer, noise);
    add(keep.summed2, keep.middle, work.branch, N, C);
    /* 6 */ layernorm_forward(y, keep.norm2, p.norm2, keep.summed2, N, C);
}

static void post_backward(Real *d, Block dp, BlockWork work, BlockKeep keep, Block p, const Real *x,
                          const Batch *batch, BlockShape shape, Noise noise)
{
    const int N = batch->rows, C = shape.attention.width, layer = shape.attention.layer;

    /* 6  y = layernorm(summed2) */
    layernorm_backward(work.dnormed, dp.norm2, d, keep.norm2, p.norm2, keep.summed2, N, C);
    /* 5  summed2 = middle + dropout(branch) */
    branch_backward(work.branch, work.dnormed, N, C, RANDOM_DROP_FEEDFORWARD, layer, noise);
    /* 4  branch = feedforward(middle) */
    feedforward_backward(d, dp.feedforward, work.dhidden, work.branch, keep.feedforward,
                         p.feedforward, keep.middle, N, shape.feedforward);
    add(d, d, work.dnormed, N, C);

    /* 3  middle = layernorm(summed1) */
    layernorm_backward(work.dnormed, dp.norm1, d, keep.norm1, p.norm1, keep.summed1, N, C);
    /* 2  summed1 = x + dropout(branch) */
    branch_backward(work.branch, work.dnormed, N, C, RANDOM_DROP_MIXED, layer, noise);
    /* 1  branch = attention(x) */
    attention_backward(d, dp.attention, work.attention, work.branch, keep.attention, p.attention, x,
                       batch, shape.attention, noise);
    add(d, d, work.dnormed, N, C);
}

void block_forward(Real *y, BlockKeep keep, BlockWork work, Real *weights, Block p, const Real *x,
                   const Batch *batch, BlockShape shape, Noise noise)
{
    (shape.post_norm ? post_forward : pre_forward)(y, keep, work, weights, p, x, batch, shape,
                                                   noise);
}

void block_backward(Real *d, Block dp, BlockWork work, BlockKeep keep, Block p, const Real *x,
                    const Batch *batch, BlockShape shape, Noise noise)
{
    (shape.post_norm ? post_backward : pre_backward)(d, dp, work, keep, p, x, batch, shape, noise);
}
