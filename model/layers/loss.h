/* loss.h: cross-entropy, loss[i] = −ln softmax(logits[i])[target[i]], for each of N rows.
 *
 * With log_sum[i] = ln Σ_j exp(logits[i][j]), computed from the row's largest logit so that nothing
 * overflows, loss[i] = log_sum[i] − logits[i][target[i]] and its gradient is
 * exp(logits[i][j] − log_sum[i]) − (1 if j is the target). */
#ifndef PULGA_LOSS_H
#define PULGA_LOSS_H

#include "base/base.h"

/* loss (N) and log_sum (N) from logits (N, V) and targets (N). */
void loss_forward(double *loss, Real *log_sum, const Real *logits, const int *targets, int N,
                  int V);

/* What a row of logits predicts, beside its loss. */
typedef struct {
    int target;
    double loss;    /* −ln p of the target, in nats */
    int rank;       /* of the target: 1 is the most probable token; of equal ones the lower id is */
    double entropy; /* −Σ p ln p over all tokens, in nats */
    int best;       /* the most probable token ... */
    double best_p;  /* ... and its probability */
} Prediction;

/* out (N) from logits (N, V), targets (N) and their losses. */
void loss_predictions(Prediction *out, const double *loss, const Real *logits, const int *targets,
                      int N, int V);

/* dlogits (N, V) = scale · the gradient; scale is one over the targets that count in the whole
 * step. dlogits may lie in the place of logits. */
void loss_backward(Real *dlogits, const Real *log_sum, const Real *logits, const int *targets,
                   int N, int V, Real scale);

#endif
