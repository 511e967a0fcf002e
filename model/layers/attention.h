/* attention.h: multi-head attention, for each sequence of a batch and each head:
 *
 *     q | k | v = x·Wqkv + bqkv          H, K and K heads of D side by side
 *     q, k = turned by their positions   if these are rotary: see rotary.h
 *     P = softmax(q·kᵀ/√D)               over the keys that a query attends to: see pattern.h
 *     mixed = dropout(P)·v
 *     y = mixed·Wout + bout
 *
 * Head h reads the keys and values of head ⌊h·K/H⌋: H/K heads in a row share them.
 *
 * No T×T matrix is kept, unless the caller asks for the attention maps: a thread holds the scores
 * of a strip of 32 queries at a time, over the span of their keys, so a window of w costs O(T·w).
 * Backward computes P again from q, k and one number for each row and head, log_sum.
 *
 * If a batch has a KV cache, k and v are stored there, each row's at its position, and queries
 * also attend to what the cache holds of earlier batches. */
#ifndef PULGA_ATTENTION_H
#define PULGA_ATTENTION_H

#include "model/shape/batch.h"
#include "model/shape/pattern.h"
#include "dropout.h"
#include "linear.h"
#include "rotary.h"

typedef struct {
    Linear qkv; /* [C, (H + 2K)·D] ((H + 2K)·D): Q, then K, then V */
    Linear out; /* [H·D, C] (C)                                    */
} AttentionWeights;

typedef struct {
    int width, heads, key_heads, head_size; /* C H K D */
    const Pattern *patterns; /* (H) NULL: all attend to all                              */
    int context;             /* T, the longest sequence                                  */
    int layer;               /* chooses the dropout masks and the layer of the KV cache  */
} AttentionShape;

/* Scratch memory, which all layers of a model share. */
typedef struct {
    Real *dqkv, *dmixed; /* (N, (H + 2K)·D) (N, H·D)                                        */
    Real *strips;        /* (threads, 3, strip_size) P, dropped, ddropped and then dscores  */
    size_t strip_size;   /* numbers in a strip                                              */
    Rotary rotary;       /* not scratch: its tables                                         */
} AttentionWork;

typedef struct {
    AttentionShape shape;
    AttentionWeights p, dp;
    const Real *patch; /* (N, H·D) takes the place of `mixed` in forward, but NAN leaves it as it
                          is; NULL: no head is patched */
    struct {
        Real *qkv;   /* (N, (H + 2K)·D)                                                     */
        Real *mixed; /* (N, H·D) the output of all heads                                    */
        Real *log_sum; /* (N, H) ln Σ exp(q·k/√D), a sum over keys: P = exp(q·k/√D − log_sum) */
    } keep;
    AttentionWork work;
} Attention;

/* How many numbers q | k | v of a row are. */
static inline int attention_columns(const AttentionShape *shape)
{
    return (shape->heads + 2 * shape->key_heads) * shape->head_size;
}

/* For layers of this shape. strip_size is attention_strip_size() of all heads of the model. */
AttentionWork attention_work(Arena *arena, const AttentionShape *shape, int N, size_t strip_size);
Attention attention_new(Arena *arena, const AttentionShape *shape, const AttentionWeights *p,
                        const AttentionWeights *dp, AttentionWork work, int N);

/* The size of the largest strip of scores of some heads; patterns (heads); NULL: all. */
size_t attention_strip_size(const Pattern *patterns, int heads, int context);

/* The size of the attention maps of a batch's first `sequences` sequences. */
size_t attention_map_size(const Batch *batch, int sequences, int heads);

/* y (N, C), x (N, C). maps, unless NULL, receives P of the batch's sequences, one after another,
 * each (H, length, length): rows are queries, columns keys; 0 for keys not attended to. */
void attention_forward(Real *y, Real *maps, const Attention *layer, const Real *x,
                       const Batch *batch, Dropout dropout);
void attention_backward(Real *dx, const Attention *layer, const Real *dy, const Real *x,
                        const Batch *batch, Dropout dropout);

#endif
