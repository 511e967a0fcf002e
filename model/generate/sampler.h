/* sampler.h: chooses a token by the scores of all tokens, in this order:
 *
 *     p = softmax(logits / temperature)      temperature 0: all probability on the highest score
 *     top-k: only the k most probable        0: all
 *     top-p: of those, the most probable ones that together reach p; 1: all
 *
 * What is left is scaled to a sum of 1. Among equal tokens the one with the lower id counts as
 * more probable. With the logits 2 1 0,
 *
 *     temperature 1       is  0.665 0.245 0.090
 *     and top-k 2         is  0.731 0.269 0
 *     or top-p 0.6        is  1 0 0 */
#ifndef PULGA_SAMPLER_H
#define PULGA_SAMPLER_H

#include "base/base.h"

typedef struct {
    double temperature; /* at least 0 */
    double top_p;       /* in (0, 1] */
    int top_k;
} Sampling;

/* One of many values, and its index among them. */
typedef struct {
    double value;
    int id;
} Ranked;

/* The k largest of count values, largest first, into best (k); of equal ones that with the lower id
 * first. Returns how many there are: k, or count if that is less. */
int rank_best(Ranked *best, int k, const double *values, int count);

/* p (V) = softmax(logits / temperature); log_p (V) = ln softmax(logits). */
void softmax_of(double *p, const Real *logits, int V, double temperature);
void log_softmax_of(double *log_p, const Real *logits, int V);

/* The penalty of Keskin et al. (CTRL, 2019) for repetition: of the logits (V), those of the tokens
 * that were seen are divided by it if they are positive, else multiplied, however often such a
 * token was seen. With a penalty of 2, the logits 4 −1 3 become 2 −2 3 if the first two were
 * seen. */
void penalize_repetition(Real *logits, const bool *seen, int V, double penalty);

/* p (V) from logits (V), as above; ranked (V) is scratch memory. */
void sampler_probabilities(double *p, Ranked *ranked, const Real *logits, int V, Sampling how);

/* The token at which the running sum of p passes a uniform number from [0, 1). */
int sampler_pick(const double *p, int V, double uniform);

#endif
