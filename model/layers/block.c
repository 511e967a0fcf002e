/* block.c: a block has two halves, attention and feed-forward, and both have the same steps.
 * Forward numbers them. Backward, right below it, undoes them in reverse; its comments repeat the
 * formula of the step that is undone. */
#include "block.h"

#include "base/parallel/threads.h"

static AttentionShape attention_shape(const GptConfig *config, int layer)
{
    return (AttentionShape){
        .width = config->width,
        .heads = config->heads,
        .key_heads = config->key_heads,
        .head_size = config->head_size,
        .patterns = config->patterns ? ROW(config->patterns, layer, config->heads) : NULL,
        .context = config->context,
        .layer = layer};
}

BlockWork block_work(Arena *arena, const GptConfig *config, int N)
{
    const size_t rows = (size_t)N, C = (size_t)config->width;
    const AttentionShape first = attention_shape(config, 0);
    const size_t strip_size =
        attention_strip_size(config->patterns, config->layers * config->heads, config->context);
    const size_t hidden = (config->gated ? 3 : 1) * (size_t)config->hidden;
    BlockWork work = {.attention = attention_work(arena, &first, N, strip_size),
                      .dhidden = arena_take(arena, rows, hidden),
                      .branch = arena_take(arena, rows, C),
                      .din = arena_take(arena, rows, C)};
    if (config->positions == POSITIONS_ROTARY)
        work.attention.rotary = rotary_new(arena, config->context, config->head_size);
    return work;
}

Block block_new(Arena *arena, const GptConfig *config, int layer, const BlockWeights *p,
                const BlockWeights *dp, const BlockWork *work, int N)
{
    const size_t rows = (size_t)N, C = (size_t)config->width;
    const AttentionShape shape = attention_shape(config, layer);
    Block block = {.norm = config->norm, .work = *work};
    block.norm1 = layernorm_new(arena, p->norm1, dp->norm1, N);
    block.norm2 = layernorm_new(arena, p->norm2, dp->norm2, N);
    block.attention =
        attention_new(arena, &shape, &p->attention, &dp->attention, work->attention, N);
    block.feedforward = feedforward_new(arena, p->feedforward, dp->feedforward, config->activation,
                                        config->gated, work->dhidden, N);
    block.keep.inner1 = arena_take(arena, rows, C);
    block.keep.inner2 = arena_take(arena, rows, C);
    block.keep.middle = arena_take(arena, rows, C);
    return block;
}

/* out = a + b; out may be a. */
static void add(Real *out, const Real *a, const Real *b, int N, int C)
{
    OMP(parallel for if(worth_threads(N, C)))
    for (int i = 0; i < N; i++)
        for (int c = 0; c < C; c++)
            ROW(out, i, C)[c] = ROW(a, i, C)[c] + ROW(b, i, C)[c];
}

/* A half: attention, or else the feed-forward layer, with its layer norm and its dropout. `inner`
 * is what the layer norm writes (pre-norm) or reads (post-norm). */
typedef struct {
    const Block *block;
    bool attends;
    const LayerNorm *norm;
    Real *inner;
    RandomPurpose purpose;
} Half;

static Half first_half(const Block *block)
{
    return (Half){block, true, &block->norm1, block->keep.inner1, RANDOM_DROP_MIXED};
}

static Half second_half(const Block *block)
{
    return (Half){block, false, &block->norm2, block->keep.inner2, RANDOM_DROP_FEEDFORWARD};
}

static void half_forward(Real *y, Real *maps, Half half, const Real *x, const Batch *batch,
                         Dropout dropout)
{
    const Block *block = half.block;
    const bool post = block->norm == NORM_POST;
    const int N = batch->rows, C = half.norm->p.width, layer = block->attention.shape.layer;
    const Real *in = post ? x : half.inner;
    Real *branch = block->work.branch, *sum = post ? half.inner : y;

    /* 1  in = layernorm(x), if pre-norm; else it is x */
    if (!post)
        layernorm_forward(half.inner, half.norm, x, N);
    /* 2  branch = attention(in) or feedforward(in) */
    if (half.attends)
        attention_forward(branch, maps, &block->attention, in, batch, dropout);
    else
        feedforward_forward(branch, &block->feedforward, in, N);
    /* 3  sum = x + dropout(branch) */
    dropout_apply(branch, batch, C, half.purpose, layer, dropout);
    add(sum, x, branch, N, C);
    /* 4  y = layernorm(sum), if post-norm; else it is the sum */
    if (post)
        layernorm_forward(y, half.norm, sum, N);
}

static void half_backward(Real *d, Half half, const Real *x, const Batch *batch, Dropout dropout)
{
    const Block *block = half.block;
    const bool post = block->norm == NORM_POST;
    const int N = batch->rows, C = half.norm->p.width, layer = block->attention.shape.layer;
    const Real *in = post ? x : half.inner;
    Real *dbranch = block->work.branch, *din = block->work.din;

    /* 4  y = layernorm(sum), if post-norm; else it is the sum */
    if (post)
        layernorm_backward(d, half.norm, d, half.inner, N);
    /* 3  sum = x + dropout(branch): d is one part of dx, and dbranch = mask∘d */
    memcpy(dbranch, d, sizeof *d * (size_t)N * (size_t)C);
    dropout_apply(dbranch, batch, C, half.purpose, layer, dropout);
    /* 2  branch = attention(in) or feedforward(in) */
    if (half.attends)
        attention_backward(din, &block->attention, dbranch, in, batch, dropout);
    else
        feedforward_backward(din, &block->feedforward, dbranch, in, N);
    /* 1  in = layernorm(x), if pre-norm; else it is x: its gradient is the other part of dx */
    if (!post)
        layernorm_backward(din, half.norm, din, x, N);
    add(d, d, din, N, C);
}

void block_forward(Real *y, Real *maps, const Block *block, const Real *x, const Batch *batch,
                   Dropout dropout)
{
    Real *middle = block->keep.middle;
    half_forward(middle, maps, first_half(block), x, batch, dropout);
    half_forward(y, NULL, second_half(block), middle, batch, dropout);
}

void block_backward(Real *d, const Block *block, const Real *x, const Batch *batch, Dropout dropout)
{
    half_backward(d, second_half(block), block->keep.middle, batch, dropout);
    half_backward(d, first_half(block), x, batch, dropout);
}
