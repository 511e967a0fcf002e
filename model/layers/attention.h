/* attention.h: causal multi-head attention, for each sequence of a batch and each head:
 *
 *     q | k | v = x·Wqkv + bqkv          each H heads of D side by side
 *     P = softmax(q·kᵀ/√D)               over the keys that a query attends to
 *     mixed = dropout(P)·v
 *     y = mixed·Wout + bout
 *
 * Which keys a query of a head attends to is its pattern's. No T×T matrix is kept: a thread holds
 * the scores of a few queries at a time, over the span of their keys, so a window of w costs
 * O(T·w). Backward computes them again from q, k and one number a row and head.
 *
 * A model that writes reads a sequence in parts: where a batch names slots, k and v are put away
 * there, each row's at its position, and queries see those of the parts before. */
#ifndef PULGA_ATTENTION_H
#define PULGA_ATTENTION_H

#include "model/batch.h"
#include "dropout.h"
#include "linear.h"
#include "pattern.h"

typedef struct {
    Linear qkv; /* [C, 3·H·D] (3·H·D): Q, then K, then V */
    Linear out; /* [H·D, C] (C)                          */
} Attention;

typedef struct {
    Real *qkv;   /* (N, 3·H·D)                                     */
    Real *mixed; /* (N, H·D) what each head has gathered           */
    Real *norm;  /* (N, H) ln Σ exp(score): P = exp(score − norm)  */
    Real *past;  /* (slots, T, 2·H·D) k and v of what is read in parts; NULL in training */
} AttentionKeep;

typedef struct {
    int width, heads, head_size; /* C H D                                                    */
    const Pattern *patterns;     /* (H) NULL: all causal                                     */
    int layer;                   /* for the noise: site layer·H + head                       */
    int context;                 /* T, the rows of a slot                                    */
} AttentionShape;

typedef struct {
    Real *dqkv, *dmixed; /* (N, 3·H·D) (N, H·D)                              */
    Real *strips;        /* (threads, 3, strip) P, what is left of it, their gradients */
    size_t strip;        /* attention_strip_size()                        */
} AttentionWork;

/* Numbers in the widest strip of scores, for sequences of up to T tokens. */
size_t attention_strip_size(AttentionShape shape, int T);

/* Numbers in the weights of a batch's first sequences: all, or those before the next one. */
size_t attention_map_size(const Batch *batch, int sequences, int heads);

/* y (N, C), x (N, C). weights, unless NULL, receives P of the batch's sequences, one after
 * another, each (H, its length, its length): rows are queries; what may not be seen is 0. */
void attention_forward(Real *y, AttentionKeep keep, AttentionWork work, Real *weights, Attention p,
                       const Real *x, const Batch *batch, AttentionShape shape, Noise noise);
void attention_backward(Real *dx, Attention dp, AttentionWork work, const Real *dy,
                        AttentionKeep keep, Attention p, const Real *x, const Batch *batch,
                        AttentionShape shape, Noise noise);

#endif
