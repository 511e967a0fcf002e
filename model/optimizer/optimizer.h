/* optimizer.h: changes all weights of a model by one step: AdamW for everything, or Muon for the
 * matrices of the blocks and AdamW for the rest (embedding, positions, an untied head, biases and
 * gains). Only matrices decay, not biases and gains. */
#ifndef PULGA_OPTIMIZER_H
#define PULGA_OPTIMIZER_H

#include "model/gpt.h"
#include "muon.h"
#include "slices.h"

typedef enum { OPTIMIZER_ADAMW, OPTIMIZER_MUON } OptimizerKind;

typedef struct {
    OptimizerKind kind;
    Real *m, *v;   /* moments: blocks laid out like the weights; Muon's matrices leave v at 0 */
    Real *average; /* likewise: the mean of the weights (see average.h), or NULL */
    Real *room;    /* Muon's, for each thread: two of its largest matrices and two squares */
    size_t largest, square;
    Slices slices;
    int member;      /* the process that we are: it updates the slices that it owns */
    double *squares; /* of the gradients of each slice */
} Optimizer;

/* The bytes that it takes for a model of these tensors, which have `numbers` numbers together. With
 * `average` it keeps the mean of the weights as well. */
double optimizer_bytes(const Tensor *tensors, int count, size_t numbers, OptimizerKind kind,
                       bool average);

Optimizer optimizer_new(const Gpt *gpt, OptimizerKind kind, bool average);
void optimizer_free(Optimizer *optimizer);

/* Of a team of so many processes, we are number `member`. To be called at once after
 * optimizer_new(), which makes a team of one. */
void optimizer_share(Optimizer *optimizer, const Gpt *gpt, int members, int member);

/* Computes the squares of the gradients of our slices. */
void optimizer_square(const Optimizer *optimizer, const Gpt *gpt);

/* The Euclidean norm of all gradients, from the squares of all slices. */
double optimizer_gradient_norm(const Optimizer *optimizer);

/* Updates the weights of our slices with scale · their gradients (a scale below 1 clips) at step t,
 * counted from 1, and sets these gradients to 0 for the next step. */
void optimizer_step(Optimizer *optimizer, Gpt *gpt, double scale, double rate, double decay,
                    int64_t t);

/* Adds the weights of step t to their mean, if it is kept. */
void optimizer_average(const Optimizer *optimizer, const Gpt *gpt, int64_t t);

#endif
