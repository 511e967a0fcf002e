/* block.h: one layer of the transformer: attention and feed-forward, each with a layer norm, a
 * dropout and a way around it (the residual stream x).
 *
 *     pre-norm (GPT-2)               x += dropout(attention(layernorm(x)))
 *                                    x += dropout(feedforward(layernorm(x)))
 *     post-norm (the 2017 paper)     x = layernorm(x + dropout(attention(x)))
 *                                    x = layernorm(x + dropout(feedforward(x))) */
#ifndef PULGA_BLOCK_H
#define PULGA_BLOCK_H

#include "attention.h"
#include "feedforward.h"
#include "layernorm.h"

typedef struct {
    LayerNormWeights norm1;
    AttentionWeights attention;
    LayerNormWeights norm2;
    FeedForwardWeights feedforward;
} BlockWeights;

/* Scratch memory, which all blocks of a model share. */
typedef struct {
    AttentionWork attention;
    Real *dhidden; /* see feedforward.h */
    Real *branch;  /* (N, C) the output of attention or feed-forward; in backward its gradient */
    Real *din;     /* (N, C) the gradient of the input of attention or feed-forward */
} BlockWork;

/* In a pre-norm block, norm1 reads x and writes inner1, which attention reads, and norm2 reads
 * `middle` and writes inner2. In a post-norm block, norm1 reads the sum inner1 and writes `middle`,
 * and norm2 reads the sum inner2 and writes y. */
typedef struct {
    Norm norm;
    LayerNorm norm1, norm2;
    Attention attention;
    FeedForward feedforward;
    struct {
        Real *inner1, *inner2; /* (N, C) (N, C) */
        Real *middle;          /* (N, C) x between attention and feed-forward */
    } keep;
    BlockWork work;
} Block;

BlockWork block_work(Arena *arena, const GptConfig *config, int N);
Block block_new(Arena *arena, const GptConfig *config, int layer, const BlockWeights *p,
                const BlockWeights *dp, const BlockWork *work, int N);

/* y (N, C) from x (N, C). maps, unless NULL, receives the attention maps: see attention.h. */
void block_forward(Real *y, Real *maps, const Block *block, const Real *x, const Batch *batch,
                   Dropout dropout);

/* d (N, C) comes in as the gradient of y and goes out as the gradient of x: the gradient of the
 * residual stream stays in one place from the model's end to its beginning. */
void block_backward(Real *d, const Block *block, const Real *x, const Batch *batch,
                    Dropout dropout);

#endif
