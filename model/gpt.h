/* gpt.h: the model: its sizes, where each of its tensors lies, forward and backward.
 *
 * The letters of the whole code: N rows (all tokens of a batch), T context length, L layers, H
 * heads, D width of one head, C width of the model, F hidden width of the feed-forward layer,
 * V vocabulary.
 *
 * Weights and their gradients are the same struct over equal blocks of memory. In every backward
 * the gradients of weights are added to, so that a step may come in parts, and the gradients of
 * activations are set. */
#ifndef PULGA_GPT_H
#define PULGA_GPT_H

#include "batch.h"
#include "model/layers/block.h"
#include "model/layers/embedding.h"

typedef struct {
    int context, layers, heads, head_size, width, hidden, vocabulary; /* T L H D C F V */
    bool post_norm;         /* else pre-norm, with one more layer norm after the last block      */
    bool learned_positions; /* else sinusoidal, fixed                                            */
    bool gelu;              /* else relu                                                         */
    bool untied;            /* the last layer has a table of its own; else it is the embedding's */
    bool no_qkv_bias;
    const Pattern *patterns; /* (L, H) what each head attends to; NULL: all causal */
} GptConfig;

/* One tensor: an entry in the list that a block of weights is laid out by. */
typedef struct {
    char name[32];  /* as GPT-2 files call it */
    Real **place;   /* where the struct below points to it, while it is being laid out */
    size_t offset;  /* first number in the block */
    int rows, cols; /* rows is 0 for a vector */
    enum { MATRIX, BIAS, GAIN, SINUSOIDS } kind; /* only a MATRIX decays or starts at random */
    double deviation; /* a MATRIX starts N(0, deviation), a BIAS at 0, a GAIN at 1          */
    bool trained;     /* fixed positions and an absent bias are carried along, never changed */
} Tensor;

typedef struct {
    Embedding embedding;
    Block *block;   /* (L) */
    LayerNorm norm; /* pre-norm alone */
    Real *head;     /* [V, C]; the embedding's wte where the head is tied */
} GptWeights;

typedef struct {
    Real *stream;     /* (L + 1, N, C) what each block reads, and what the last one leaves */
    BlockKeep *block; /* (L) */
    LayerNormKeep norm;
    Real *normed; /* (N, C) what the head reads; in a post-norm model the stream's end */
} GptKeep;

typedef struct {
    BlockWork block;
    Real *dstream; /* (N, C) */
    Real *logits;  /* (piece, V) */
    Real *norm;    /* (piece) */
    double *loss;  /* (piece) */
    int piece;     /* rows whose logits are held at once */
} GptWork;

typedef struct {
    GptConfig shape;
    int rows; /* N at most */
    Tensor *tensors;
    int tensor_count;
    size_t numbers; /* in a block of weights */
    GptWeights weights, gradients;
    Real *weight_block, *gradient_block;
    GptKeep keep;
    GptWork work;
    Real *keep_block, *past_block;
} Gpt;

/* A model with weights at 0, for batches of at most `rows` rows. It copies the list of patterns.
 * gpt_free() frees it. */
Gpt gpt_new(GptConfig shape, int rows);
void gpt_free(Gpt *gpt);

/* The tensors of a shape and the numbers in a block of them, without a model: the caller frees the
 * list. And the bytes that gpt_new would take. */
Tensor *gpt_tensors(GptConfig shape, int *count, size_t *numbers);
double gpt_bytes(GptConfig shape, int rows);

size_t tensor_size(const Tensor *tensor);

/* Numbers that are trained. */
size_t gpt_parameters(const Tensor *tensors, int count);

/* The weights as a run begins: functions of the seed and of each weight's place. */
void gpt_init(Gpt *gpt, uint32_t seed);

/* The sum of the losses of a batch's rows, 0 for those that do not count; nothing is dropped. And
 * each row's own in loss (N). */
double gpt_evaluate(Gpt *gpt, const Batch *batch);
double gpt_losses(Gpt *gpt, const Batch *batch, double *loss);

/* The same with dropout, and the gradients of scale · the sum added to the gradients. */
double gpt_forward_backward(Gpt *gpt, const Batch *batch, Real scale, Noise noise);

/* Reading on, to write: memory for so many sequences of the whole context. A batch that names
 * slots goes on where they stand: its positions say how much each has read. */
void gpt_remember(Gpt *gpt, int slots);
/* The first `rows` tokens that slot `from` has read become those of slot `to`. */
void gpt_copy_slot(Gpt *gpt, int to, int from, int rows);

/* logits (S, V): what may follow each sequence of a batch. */
void gpt_next_logits(Gpt *gpt, const Batch *batch, Real *logits);

/* Forward up to what the head reads, keep.normed. weights, unless NULL, receives attention's: for
 * each layer, what attention.h says. */
void gpt_forward(Gpt *gpt, const Batch *batch, Real *weights, Noise noise);

#endif
