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
    LayerNorm norm1;
    Attention attention;
    LayerNorm norm2;
    FeedForward feedforward;
} Block;

/* What backward needs. In a pre-norm block norm1 reads x and writes normed1; in a post-norm block
 * it reads the sum `summed1` and writes `middle`, and norm2 reads `summed2` and writes y. */
typedef struct {
    LayerNormKeep norm1, norm2;
    AttentionKeep attention;
    FeedForwardKeep feedforward;
    Real *normed1, *normed2; /* (N, C) (N, C) pre-norm alone             */
    Real *summed1, *summed2; /* (N, C) (N, C) post-norm alone            */
    Real *middle;            /* (N, C) x between attention and the rest  */
} BlockKeep;

typedef struct {
    AttentionWork attention;
    Real *dhidden; /* (N, F)                                             */
    Real *branch;  /* (N, C) what a branch gives, or its gradient        */
    Real *dnormed; /* (N, C) the gradient behind a layer norm            */
} BlockWork;

typedef struct {
    bool post_norm;
    AttentionShape attention;
    FeedForwardShape feedforward;
} BlockShape;

/* y (N, C) from x (N, C); weights: see attention.h. */
void block_forward(Real *y, BlockKeep keep, BlockWork work, Real *weights, Block p, const Real *x,
                   const Batch *batch, BlockShape shape, Noise noise);

/* d (N, C) comes in as the gradient of y and goes out as the gradient of x: the residual stream
 * runs through the whole model in one place. */
void block_backward(Real *d, Block dp, BlockWork work, BlockKeep keep, Block p, const Real *x,
                    const Batch *batch, BlockShape shape, Noise noise);

#endif
