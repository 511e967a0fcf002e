/* tensors.h: the one list of a model's tensors: their names, sizes, places and starting values.
 *
 * Weights, their gradients and the optimiser's moments are blocks of the same layout, so whoever
 * walks all tensors (the optimiser, a file, a checksum) walks this list. */
#ifndef PULGA_TENSORS_H
#define PULGA_TENSORS_H

#include "model/layers/block.h"
#include "model/layers/embedding.h"
#include "model/shape/gpt_config.h"

/* Only a matrix decays. A bias starts at 0, a gain at 1, a matrix at random. */
typedef enum { TENSOR_MATRIX, TENSOR_BIAS, TENSOR_GAIN, TENSOR_SINUSOIDS } TensorKind;

typedef struct {
    char name[48]; /* as in GPT-2 files */
    TensorKind kind;
    int rows, cols;    /* a bias or a gain is a vector: it has one row              */
    size_t offset;     /* of its first number in a block                            */
    double deviation;  /* of a matrix when it starts: normal, with mean 0           */
    int parts;         /* of a block's matrix: how many of one width lie side by side in it: 3
                         for queries, keys and values, else 1; 0 for every other tensor */
    bool trained;      /* false for fixed positions and absent biases: they are
                         kept, since files have them, but never change             */
    Rounding rounding; /* of a matrix of a model that only reads: see gpt_new_rounded() */
} Tensor;

typedef struct {
    Embedding embedding;
    BlockWeights *block;   /* (L)                                         */
    LayerNormWeights norm; /* pre-norm only                               */
    LogitsWeights head;    /* its weight is wte if the head is tied       */
} GptWeights;

/* The tensors of a model, whose matrices may be kept rounded, and the size of a block that holds
 * them. The caller frees the list. */
Tensor *gpt_tensors(const GptConfig *config, Rounding rounding, int *count, size_t *size);

/* The pointers to all tensors of such a block, or their sizes alone if it is NULL. The caller frees
 * .block. */
GptWeights gpt_weights(const GptConfig *config, Rounding rounding, Real *block);

bool tensor_is_vector(const Tensor *tensor);
size_t tensor_size(const Tensor *tensor);

/* How many numbers are trained. */
size_t gpt_parameters(const Tensor *tensors, int count);

#endif
