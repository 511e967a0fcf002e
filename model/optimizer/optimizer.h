/* optimizer.h: changes all weights of a model by one step: AdamW for everything, or Muon for the
 * matrices of the blocks and AdamW for the rest (embedding, positions, an untied head, biases and
 * gains). Only matrices decay, not biases and gains. */
#ifndef PULGA_OPTIMIZER_H
#define PULGA_OPTIMIZER_H

#include <stdint.h>

#include "model/gpt.h"
#include "muon.h"

/* The learning rate at a step. */
typedef enum { SCHEDULE_NOAM, SCHEDULE_COSINE, SCHEDULE_CONSTANT } ScheduleKind;

typedef struct {
    ScheduleKind kind;
    double factor;   /* noam: factor · C^-1/2 · min(t^-1/2, t·warmup^-3/2) */
    int width;       /* noam: C */
    double rate;     /* cosine, constant: the highest rate */
    double min_rate; /* cosine: the rate at the end */
    int64_t warmup;  /* steps in which the rate grows linearly */
    double cooldown; /* noam, constant: the last part of the run, in which the rate falls to 0 */
    int64_t horizon; /* steps of the whole run */
} Schedule;

/* At step t, counted from 1. */
double schedule_rate(const Schedule *schedule, int64_t t);

typedef enum { OPTIMIZER_ADAMW, OPTIMIZER_MUON } OptimizerKind;

typedef struct {
    OptimizerKind kind;
    Real *m, *v;   /* moments: blocks laid out like the weights; Muon's matrices leave v at 0 */
    Real *average; /* likewise: the mean of the weights, or NULL */
    Real *room;    /* (threads, room_size) what Muon works in */
    size_t room_size;
    double *squares; /* of the gradients: a sum for each slice of them */
    size_t slices;
} Optimizer;

/* The bytes that it takes for a model of these tensors, which have `numbers` numbers together. With
 * `average` it keeps the mean of the weights as well. */
double optimizer_bytes(const Tensor *tensors, int count, size_t numbers, OptimizerKind kind,
                       bool average);

Optimizer optimizer_new(const Gpt *gpt, OptimizerKind kind, bool average);
void optimizer_free(Optimizer *optimizer);

/* The Euclidean norm of all gradients. */
double optimizer_gradient_norm(const Optimizer *optimizer, const Gpt *gpt);

/* Updates the weights with scale · their gradients (a scale below 1 clips) at step t, counted from
 * 1, and sets the gradients to 0 for the next step. decay and AdamW's epsilon are for matrices;
 * biases and gains have 0 and 1e-9. */
void optimizer_step(Optimizer *optimizer, Gpt *gpt, double scale, double rate, double decay,
                    double epsilon, int64_t t);

/* Adds the weights of step t to their mean, if it is kept. Late steps count most in it:
 *
 *     average = average + min(1, 10/t) · (weights − average)
 *
 * so after t steps those of the last tenth make up about two thirds of it. A model with the
 * averaged weights makes fewer errors of chance than one with the last weights. */
void optimizer_average(const Optimizer *optimizer, const Gpt *gpt, int64_t t);

#endif
