/* cases.h: the models that are measured, and one training step of them. */
#ifndef PULGA_CASES_H
#define PULGA_CASES_H

#include "model/optimizer/optimizer.h"

/* A model, and the batch that a step of it reads. */
typedef struct {
    const char *name;
    GptConfig config;
    int sequences; /* of a step, each as long as the context */
    bool prefix;   /* all tokens of a sequence see each other */
    double dropout;
} Case;

/* A model in the usual proportions: the heads share the width, and F = 4C. */
Case case_of(const char *name, int layers, int heads, int width, int vocabulary, int context,
             int sequences);

/* A model in training: everything that a step needs. The arrays are the batch's. */
typedef struct {
    Case it;
    Gpt gpt;
    Optimizer optimizer;
    int *tokens, *targets, *positions, *start, *prefix;
    Batch batch;
    int64_t step;
} Training;

/* It is never freed: it lasts as long as the process that measures it. */
Training training_new(const Case *it);

/* Forward, backward and update. */
void training_step(Training *training);

/* Floating-point operations of a step without windows: 6 for each token and each number of a
 * matrix, the head included; and attention's two products over the half of the square that is not
 * masked, once in forward and twice in backward. */
double case_flops(const Case *it);

#endif
