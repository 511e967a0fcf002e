/* block.c: the two orders of a block. Each forward has numbered steps, and its backward, right
 * below it, undoes them in reverse. */
#include "block.h"
#include "base/parallel/threads.h"

#include <string.h>

BlockKeep block_keep(Arena *arena, const BlockShape *shape, int N)
{
    const size_t rows = (size_t)N, C = (size_t)shape->attention.width;
    BlockKeep keep = {.norm1 = layernorm_keep(arena, N),
                      .norm2 = layernorm_keep(arena, N),
                      .attention = attention_keep(arena, &shape->attention, N),
                      .feedforward = feedforward_keep(arena, shape->feedforward, N),
                      .middle = arena_take(arena, rows, C)};
    if (shape->post_norm) {
        keep.summed1 = arena_take(arena, rows, C);
        keep.summed2 = arena_take(arena, rows, C);
    } else {
        keep.normed1 = arena_take(arena, rows, C);
        keep.normed2 = arena_take(arena, rows, C);
    }
    return keep;
}

BlockWork block_work(Arena *arena, const BlockShape *shape, int N, size_t strip_size)
{
    const size_t rows = (size_t)N, C = (size_t)shape->attention.width;
    return (BlockWork){.attention = attention_work(arena, &shape->attention, N, strip_size),
                       .feedforward = feedforward_work(arena, shape->feedforward, N),
                       .branch = arena_take(arena, rows, C),
                       .dnormed = arena_take(arena, rows, C)};
}

/* out = a + b; out may be a. */
static void add(Real *out, const Real *a, const Real *b, int N, int C)
{
    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++)
            ROW(out, i, C)[c] = ROW(a, i, C)[c] + ROW(b, i, C)[c];
}

/* sum = x + dropout(branch)   so   dbranch = mask∘dsum; dx = dsum needs no work. */
static void branch_backward(Real *dbranch, const Real *dsum, const Batch *batch, int C,
                            RandomPurpose purpose, int layer, Dropout dropout)
{
    memcpy(dbranch, dsum, sizeof *dsum * (size_t)batch->rows * (size_t)C);
    dropout_apply(dbranch, batch, C, purpose, layer, dropout);
}

static void pre_forward(Real *y, Real *maps, const Block *block, const BlockWork *work,
                        const Real *x, const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const BlockWeights *p = block->p;
    const BlockKeep *keep = &block->keep;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;

    /* 1  normed1 = layernorm(x) */
    layernorm_forward(keep->normed1, keep->norm1, p->norm1, x, N, C);
    /* 2  branch = attention(normed1) */
    attention_forward(work->branch, maps, keep->attention, work->attention, p->attention,
                      keep->normed1, batch, &shape->attention, dropout);
    /* 3  middle = x + dropout(branch) */
    dropout_apply(work->branch, batch, C, RANDOM_DROP_MIXED, layer, dropout);
    add(keep->middle, x, work->branch, N, C);

    /* 4  normed2 = layernorm(middle) */
    layernorm_forward(keep->normed2, keep->norm2, p->norm2, keep->middle, N, C);
    /* 5  branch = feedforward(normed2) */
    feedforward_forward(work->branch, keep->feedforward, p->feedforward, keep->normed2, N,
                        shape->feedforward);
    /* 6  y = middle + dropout(branch) */
    dropout_apply(work->branch, batch, C, RANDOM_DROP_FEEDFORWARD, layer, dropout);
    add(y, keep->middle, work->branch, N, C);
}

static void pre_backward(Real *d, const Block *block, const BlockWork *work, const Real *x,
                         const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const BlockWeights *p = block->p, *dp = block->dp;
    const BlockKeep *keep = &block->keep;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;

    /* 6  y = middle + dropout(branch): d is dmiddle already */
    branch_backward(work->branch, d, batch, C, RANDOM_DROP_FEEDFORWARD, layer, dropout);
    /* 5  branch = feedforward(normed2) */
    feedforward_backward(work->dnormed, dp->feedforward, work->feedforward, work->branch,
                         keep->feedforward, p->feedforward, keep->normed2, N, shape->feedforward);
    /* 4  normed2 = layernorm(middle): its gradient adds to dmiddle */
    layernorm_backward(work->branch, dp->norm2, work->dnormed, keep->norm2, p->norm2, keep->middle,
                       N, C);
    add(d, d, work->branch, N, C);

    /* 3  middle = x + dropout(branch): d is dx already */
    branch_backward(work->branch, d, batch, C, RANDOM_DROP_MIXED, layer, dropout);
    /* 2  branch = attention(normed1) */
    attention_backward(work->dnormed, dp->attention, work->attention, work->branch, keep->attention,
                       p->attention, keep->normed1, batch, &shape->attention, dropout);
    /* 1  normed1 = layernorm(x): its gradient adds to dx */
    layernorm_backward(work->branch, dp->norm1, work->dnormed, keep->norm1, p->norm1, x, N, C);
    add(d, d, work->branch, N, C);
}

static void post_forward(Real *y, Real *maps, const Block *block, const BlockWork *work,
                         const Real *x, const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const BlockWeights *p = block->p;
    const BlockKeep *keep = &block->keep;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;

    /* 1  branch = attention(x) */
    attention_forward(work->branch, maps, keep->attention, work->attention, p->attention, x, batch,
                      &shape->attention, dropout);
    /* 2  summed1 = x + dropout(branch) */
    dropout_apply(work->branch, batch, C, RANDOM_DROP_MIXED, layer, dropout);
    add(keep->summed1, x, work->branch, N, C);
    /* 3  middle = layernorm(summed1) */
    layernorm_forward(keep->middle, keep->norm1, p->norm1, keep->summed1, N, C);

    /* 4  branch = feedforward(middle) */
    feedforward_forward(work->branch, keep->feedforward, p->feedforward, keep->middle, N,
                        shape->feedforward);
    /* 5  summed2 = middle + dropout(branch) */
    dropout_apply(work->branch, batch, C, RANDOM_DROP_FEEDFORWARD, layer, dropout);
    add(keep->summed2, keep->middle, work->branch, N, C);
    /* 6  y = layernorm(summed2) */
    layernorm_forward(y, keep->norm2, p->norm2, keep->summed2, N, C);
}

static void post_backward(Real *d, const Block *block, const BlockWork *work, const Real *x,
                          const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const BlockWeights *p = block->p, *dp = block->dp;
    const BlockKeep *keep = &block->keep;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;

    /* 6  y = layernorm(summed2) */
    layernorm_backward(work->dnormed, dp->norm2, d, keep->norm2, p->norm2, keep->summed2, N, C);
    /* 5  summed2 = middle + dropout(branch): dnormed is one part of dmiddle */
    branch_backward(work->branch, work->dnormed, batch, C, RANDOM_DROP_FEEDFORWARD, layer, dropout);
    /* 4  branch = feedforward(middle): the other part */
    feedforward_backward(d, dp->feedforward, work->feedforward, work->branch, keep->feedforward,
                         p->feedforward, keep->middle, N, shape->feedforward);
    add(d, d, work->dnormed, N, C);

    /* 3  middle = layernorm(summed1) */
    layernorm_backward(work->dnormed, dp->norm1, d, keep->norm1, p->norm1, keep->summed1, N, C);
    /* 2  summed1 = x + dropout(branch): dnormed is one part of dx */
    branch_backward(work->branch, work->dnormed, batch, C, RANDOM_DROP_MIXED, layer, dropout);
    /* 1  branch = attention(x): the other part */
    attention_backward(d, dp->attention, work->attention, work->branch, keep->attention,
                       p->attention, x, batch, &shape->attention, dropout);
    add(d, d, work->dnormed, N, C);
}

void block_forward(Real *y, Real *maps, const Block *block, const BlockWork *work, const Real *x,
                   const Batch *batch, Dropout dropout)
{
    (block->shape.post_norm ? post_forward : pre_forward)(y, maps, block, work, x, batch, dropout);
}

void block_backward(Real *d, const Block *block, const BlockWork *work, const Real *x,
                    const Batch *batch, Dropout dropout)
{
    (block->shape.post_norm ? post_backward : pre_backward)(d, block, work, x, batch, dropout);
}
