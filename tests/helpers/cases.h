/* cases.h: small models with every option, at odd sizes, for the tests of exactness. They are built
 * in float and in double from the same weights. */
#ifndef PULGA_CASES_H
#define PULGA_CASES_H

#include "model/gpt.h"

/* The sizes of a model, by their letters: see model/shape/gpt_config.h. */
#define SIZES(T, L, H, D, C, F, V) SIZES_SHARED(T, L, H, H, D, C, F, V)
#define SIZES_SHARED(T, L, H, K, D, C, F, V)                                                       \
    .context = (T), .layers = (L), .heads = (H), .key_heads = (K), .head_size = (D), .width = (C), \
    .hidden = (F), .vocabulary = (V), .norm_epsilon = 1e-5, .theta = 3

typedef struct {
    const char *name;
    GptConfig shape;
    double dropout;
    enum {
        CASE_ALL_COUNT,  /* each of the batch's targets does */
        CASE_SOME_COUNT, /* only some of them */
        CASE_PAIRS,      /* those after a prefix whose tokens all see each other */
        CASE_MASKED      /* some, and all tokens of a sequence see each other */
    } kind;
} Case;

extern const Case CASES[];
extern const int CASE_COUNT;

/* The batch that the cases learn from: three sequences of 1, 7 and 4 tokens. */
extern const Batch CASE_BATCH;

/* A model of a case whose weights are all away from 0; and its mean loss over the batch, with the
 * gradients of that added to the model's. */
Gpt case_model(const Case *c);
double case_learn(Gpt *gpt, const Case *c);

#endif
