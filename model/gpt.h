/* gpt.h: the whole model, forward and backward.
 *
 * Weights and their gradients are the same struct over equal blocks of memory. Every backward adds
 * to the gradients of weights, so that a step may come in parts, and sets the gradients of
 * activations.
 *
 * In every layer, p are its weights and dp their gradients; keep is what forward stores for
 * backward; work is scratch memory. Functions take first what they write. */
#ifndef PULGA_GPT_H
#define PULGA_GPT_H

#include "model/layers/loss.h"
#include "model/shape/batch.h"
#include "model/shape/gpt_config.h"
#include "tensors.h"

/* What predicts the next token beside the model: it changes the logits (V) of a row, given the last
 * tokens up to it, at most HISTORY_MOST. An evaluation and gpt_next_logits() mix; training does
 * not. */
typedef struct {
    void (*mix)(const void *of, const int *history, int count, Real *logits);
    const void *of;
} Mixture;

/* What forward keeps for backward, except what belongs to a block. */
typedef struct {
    Real *stream; /* (L + 1, N, C) the input of each block, and the output of the last one;
                     a reader has two places, which take turns (2, N, C)                   */
    Real *normed; /* (N, C) the layer norm of the stream's end; pre-norm only               */
} GptKeep;

typedef struct {
    BlockWork block;
    Real *dstream; /* (N, C) the gradient of the stream, at one place after another         */
    Real *logits;  /* (piece, V)                                                            */
    int *targets;  /* (piece)                                                               */
    int *row;      /* (piece) of the batch                                                  */
    Real *log_sum; /* (piece) as in loss.h                                                  */
    double *loss;  /* (piece)                                                               */
    int piece;     /* rows whose logits are in memory at once; not a Piece of the corpus    */
} GptWork;

typedef struct {
    GptConfig config;
    int rows;    /* N at most */
    bool learns; /* false: a reader, whose gradients are NULL */
    Tensor *tensors;
    int tensor_count;
    size_t size; /* of a block of weights */
    GptWeights weights, gradients;
    Real *weight_block, *gradient_block;
    Block *block;   /* (L) */
    LayerNorm norm; /* pre-norm only */
    GptKeep keep;
    GptWork work;
    Real *activations; /* the memory of all that is kept and worked with */
    Mixture mixture;   /* mix is NULL: the model is alone                */
} Gpt;

/* A model with weights at 0, for batches of at most `rows` rows. It copies the list of patterns.
 * gpt_free() frees it. A reader takes less memory but cannot learn: it has no gradients, and all
 * its layers keep what they compute in the same place. */
Gpt gpt_new(const GptConfig *config, int rows);
Gpt gpt_new_reader(const GptConfig *config, int rows);

/* A reader whose matrices, all but that of the positions, are kept in fewer bytes and written by
 * matrix_write() (model/matrix/rounded.h): if the weights do not fit into the caches, a token takes
 * half of the time in bf16, 0.4 in q8. Only one of which gpt_rounds() can be: all rows have a
 * multiple of ROUNDED_GRAIN numbers. */
Gpt gpt_new_rounded(const GptConfig *config, int rows, Rounding rounding);
bool gpt_rounds(const GptConfig *config);
void gpt_free(Gpt *gpt);

/* The bytes that gpt_new() or gpt_new_reader() would allocate. */
double gpt_bytes(const GptConfig *config, int rows);
double gpt_reader_bytes(const GptConfig *config, int rows);

/* Sets the weights to their starting values, which depend on the seed and on each one's place. */
void gpt_init(Gpt *gpt, uint32_t seed);

/* Everything up to the head, the last layer, which gives a score for every token (the logits; see
 * linear.h). maps, unless NULL, receives the attention maps of all layers, each as attention.h
 * says. */
void gpt_forward(Gpt *gpt, const Batch *batch, Real *maps, Dropout dropout);

/* What gpt_forward() has computed: (N, C), the input of the head. gpt_evaluate() and
 * gpt_forward_backward() leave something else there. */
Real *gpt_head_input(const Gpt *gpt);

/* The sum of the losses of a batch, without dropout. Rows that do not count cost no logits. */
double gpt_evaluate(Gpt *gpt, const Batch *batch);

/* The same sum. each (counted) receives the predictions of the rows that count, in their order. */
double gpt_evaluate_each(Gpt *gpt, const Batch *batch, Prediction *each);

/* The sum of the losses with dropout; adds the gradients of scale · the sum to the gradients. */
double gpt_forward_backward(Gpt *gpt, const Batch *batch, Real scale, Dropout dropout);

/* logits (S, V): the scores of the token that follows each sequence of a batch. */
void gpt_next_logits(Gpt *gpt, const Batch *batch, Real *logits);

/* Takes out a head, or all of a layer as head number H. Nothing is cut out: the weights are set
 * to 0 through which it adds to the residual stream, so what it adds is exactly 0.
 *
 *     a head     the rows of Wout (attention.h) that read its part of `mixed`
 *     a layer    Wout and bout, and W2 and b2 (feedforward.h); post-norm keeps its layer norms */
void ablate(Gpt *gpt, int layer, int head);

#endif
