/* block.c: a block has two halves, attention and feed-forward, and both have the same steps. Forward
 * numbers them, and backward, right below it, undoes them in reverse. */
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
    keep.inner1 = arena_take(arena, rows, C);
    keep.inner2 = arena_take(arena, rows, C);
    return keep;
}

BlockWork block_work(Arena *arena, const BlockShape *shape, int N, size_t strip_size)
{
    const size_t rows = (size_t)N, C = (size_t)shape->attention.width;
    return (BlockWork){.attention = attention_work(arena, &shape->attention, N, strip_size),
                       .feedforward = feedforward_work(arena, shape->feedforward, N),
                       .branch = arena_take(arena, rows, C),
                       .din = arena_take(arena, rows, C)};
}

/* out = a + b; out may be a. */
static void add(Real *out, const Real *a, const Real *b, int N, int C)
{
    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++)
            ROW(out, i, C)[c] = ROW(a, i, C)[c] + ROW(b, i, C)[c];
}

/* A half: attention or, if `feeds`, the feed-forward layer, with its layer norm and its dropout.
 * `inner` is what the layer norm writes (pre-norm) or reads (post-norm). */
typedef struct {
    LayerNorm norm, dnorm;
    LayerNormKeep kept;
    Real *inner;
    RandomPurpose purpose;
    bool feeds;
} Half;

static Half first_half(const Block *block)
{
    return (Half){block->p->norm1,    block->dp->norm1,  block->keep.norm1,
                  block->keep.inner1, RANDOM_DROP_MIXED, false};
}

static Half second_half(const Block *block)
{
    return (Half){block->p->norm2,    block->dp->norm2,        block->keep.norm2,
                  block->keep.inner2, RANDOM_DROP_FEEDFORWARD, true};
}

static void half_forward(Real *y, Real *maps, const Block *block, Half half, const BlockWork *work,
                         const Real *x, const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const bool post = shape->norm == NORM_POST;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;
    const Real *in = post ? x : half.inner;
    Real *sum = post ? half.inner : y;

    /* 1  in = layernorm(x), if pre-norm; else it is x */
    if (!post)
        layernorm_forward(half.inner, half.kept, half.norm, x, N, C);
    /* 2  branch = attention(in) or feedforward(in) */
    if (half.feeds)
        feedforward_forward(work->branch, block->keep.feedforward, block->p->feedforward, in, N,
                            shape->feedforward);
    else
        attention_forward(work->branch, maps, block->keep.attention, work->attention,
                          block->p->attention, in, batch, &shape->attention, dropout);
    /* 3  sum = x + dropout(branch) */
    dropout_apply(work->branch, batch, C, half.purpose, layer, dropout);
    add(sum, x, work->branch, N, C);
    /* 4  y = layernorm(sum), if post-norm; else it is the sum */
    if (post)
        layernorm_forward(y, half.kept, half.norm, sum, N, C);
}

/* d comes in as the gradient of y. */
static void half_backward(Real *d, const Block *block, Half half, const BlockWork *work,
                          const Real *x, const Batch *batch, Dropout dropout)
{
    const BlockShape *shape = &block->shape;
    const bool post = shape->norm == NORM_POST;
    const int N = batch->rows, C = shape->attention.width, layer = shape->attention.layer;
    const Real *in = post ? x : half.inner;

    /* 4  y = layernorm(sum), if post-norm; else it is the sum */
    if (post)
        layernorm_backward(d, half.dnorm, d, half.kept, half.norm, half.inner, N, C);
    /* 3  sum = x + dropout(branch): d is one part of dx, and dbranch = mask∘d */
    memcpy(work->branch, d, sizeof *d * (size_t)N * (size_t)C);
    dropout_apply(work->branch, batch, C, half.purpose, layer, dropout);
    /* 2  branch = attention(in) or feedforward(in) */
    if (half.feeds)
        feedforward_backward(work->din, block->dp->feedforward, work->feedforward, work->branch,
                             block->keep.feedforward, block->p->feedforward, in, N,
                             shape->feedforward);
    else
        attention_backward(work->din, block->dp->attention, work->attention, work->branch,
                           block->keep.attention, block->p->attention, in, batch, &shape->attention,
                           dropout);
    /* 1  in = layernorm(x), if pre-norm; else it is x: its gradient is the other part of dx */
    if (!post)
        layernorm_backward(work->din, half.dnorm, work->din, half.kept, half.norm, x, N, C);
    add(d, d, work->din, N, C);
}

void block_forward(Real *y, Real *maps, const Block *block, const BlockWork *work, const Real *x,
                   const Batch *batch, Dropout dropout)
{
    Real *middle = block->keep.middle;
    half_forward(middle, maps, block, first_half(block), work, x, batch, dropout);
    half_forward(y, NULL, block, second_half(block), work, middle, batch, dropout);
}

void block_backward(Real *d, const Block *block, const BlockWork *work, const Real *x,
                    const Batch *batch, Dropout dropout)
{
    half_backward(d, block, second_half(block), work, block->keep.middle, batch, dropout);
    half_backward(d, block, first_half(block), work, x, batch, dropout);
}
