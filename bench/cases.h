/* cases.h: the models that are measured, and a step of training one of them. */
#ifndef PULGA_CASES_H
#define PULGA_CASES_H

#include "model/adam.h"

typedef struct {
    const char *name;
    GptConfig shape;
    int sequences; /* a step's; each as long as the context */
    double dropout;
} Case;

/* The sizes of a model, in the usual proportions: heads share the width, F = 4C. */
Case case_of(const char *name, int layers, int heads, int width, int vocabulary, int context,
             int sequences);

/* A model in training: everything that a step needs. */
typedef struct {
    Case it;
    Gpt gpt;
    Adam adam;
    int *tokens, *targets, *positions, *start;
    Batch batch;
    int64_t step;
} Training;

/* It lasts as long as the process that measures it. */
Training training_new(const Case *it);

/* Forward, backward and update, as data/trainer does it. */
void training_step(Training *training);

/* Floating-point operations of a step without windows: 6 for each number of a matrix and token, the
 * head's with them, and attention's two products over the half of the square that is not masked, in
 * forward and twice in backward. */
double case_flops(const Case *it);

#endif
