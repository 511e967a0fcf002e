/* counting.h: what plain counting predicts of the part that is held out: the loss of a Kneser-Ney
 * model (see text/corpus/kneser_ney.h) of the part trained on. */
#ifndef PULGA_COUNTING_H
#define PULGA_COUNTING_H

#include "corpus.h"
#include "kneser_ney.h"
#include "model/gpt.h"

typedef struct {
    double loss; /* NAN if nothing is held out, or if tokens are hidden */
    int order;   /* the one that was the best on a tenth of the part trained on */
    bool some;   /* of a large text only its last COUNTING_MOST tokens were counted */
    /* Known for a run that keeps its counts; NAN for others: */
    double share; /* of counting in the mixture, see below */
    double mixed; /* what the mixture reaches on the same part */
} Counting;

enum { COUNTING_MOST = 1 << 20 };

Counting counting_of(const Corpus *corpus);

/* Counting and the model together. With p what counting says, the logits of the model become
 *
 *     (1 − share)·logits + share·ln p
 *
 * which is a geometric mean of the two probabilities, scaled to a sum of 1. */
typedef struct {
    KneserNey *counts;
    int vocabulary, order;
    double share;
} CountMixture;

/* Counts the part of the corpus to train on. count_mixture_free() frees it. */
CountMixture count_mixture_new(const Corpus *corpus, int order, double share);
void count_mixture_free(CountMixture *mixture);

/* The mixture for a model: see model/gpt.h. */
Mixture count_mixture_of(const CountMixture *mixture);

#endif
