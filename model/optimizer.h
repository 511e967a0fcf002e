/* optimizer.h: changes all weights of a model by one step: AdamW for everything, or Muon for the
 * matrices of the blocks and AdamW for the rest (embedding, positions, an untied head, biases and
 * gains). Only matrices decay, not biases and gains. */
#ifndef PULGA_OPTIMIZER_H
#define PULGA_OPTIMIZER_H

#include "base/base.h"
#include "model/matrix/matrix.h"
#include "gpt.h"

/* ---- AdamW ---- */

/* AdamW, that is Adam with decoupled weight decay, for some numbers:
 *
 *     m = β1·m + (1 − β1)·g           v = β2·v + (1 − β2)·g²
 *     M = m/(1 − β1^t)                V = v/(1 − β2^t)
 *     w = w − rate · (decay·w + M / (√V + ε))
 *
 * with β1 = 0.9 and β2 = 0.98 as in the 2017 paper, which has ε = 1e-9. A weight whose gradients
 * are much smaller than ε hardly changes, else its step has about the size of the rate. */

/* 1 − β1^t and 1 − β2^t at step t, which counts from 1. */
typedef struct {
    double m, v;
} AdamBias;

AdamBias adam_bias(int64_t t);

/* One step with the gradients scale · g; sets g to 0 for the next one. It holds an `omp for
 * nowait`, which shares the loop among the threads of the region it is called in: all of them call
 * it, or one thread outside of any. */
void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, double epsilon, AdamBias bias);

/* ---- Muon ---- */

/* Muon (Jordan and others, 2024), an optimiser for one matrix (rows, cols):
 *
 *     m = μ·m + (1 − μ)·g             u = μ·m + (1 − μ)·g
 *     w = w − rate · (decay·w + 0.2·√max(rows, cols) · O(u))
 *
 * with μ = 0.9. O(u) has the singular vectors of u, but singular values that are all about 1, so
 * that a step changes every direction alike; AdamW's steps change a few directions most. The factor
 * gives the elements of a step the size that they have in AdamW's, so both take the same rate.
 *
 * O(u) comes from five rounds of a Newton-Schulz iteration, which are only matrix products:
 *
 *     X = u/|u|        five times:  R = X·Xᵀ,  X = Z(R)·X,  Z(R) = 3.4445·1 − 4.7750·R + 2.0315·R²
 *
 * It leaves singular values between 0.68 and 1.21. Those below 0.0015·|u| stay smaller, since a
 * round multiplies a small one by 3.4. The next R is Z·R·Z, so X is not needed before the end: P,
 * the product of all Z, is made of squares of the smaller side alone, and O(u) = P·X. */

/* One step with the gradients scale · g; sets g to 0 for the next one. All three are (rows, cols)
 * with the steps of w. The room has a matrix, and four squares of the smaller side. */
void muon_update(Matrix w, Real *m, Real *g, Real *room, double scale, double rate, double decay);

/* A square P, where O(u) = P·u, or u·P if u has more rows than columns. The room has four such
 * squares, and P is one of them. */
Matrix muon_lift(Matrix u, Real *room);

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
    int parts;       /* the most matrices side by side in a tensor */
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
