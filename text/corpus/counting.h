/* counting.h: what plain counting predicts of the part that is held out: the loss of a Kneser-Ney
 * model of the part trained on. */
#ifndef PULGA_COUNTING_H
#define PULGA_COUNTING_H

#include "model/gpt.h"
#include "corpus.h"

/* What plain counting predicts: interpolated modified Kneser-Ney (Chen and Goodman
 * 1999). A token w after a history h of k − 1 tokens has
 *
 *     p_k(w|h) = max(c(hw) − D(c(hw)), 0)/c(h·) + γ(h)·p_{k−1}(w|h')
 *     γ(h)     = (D1·N1(h·) + D2·N2(h·) + D3·N3(h·))/c(h·)
 *     p_0(w)   = 1/V
 *
 * where h' is h without its first token, c(h·) the sum of c(hw) over all w, and Nj(h·) the number
 * of w for which c(hw) is j, N3 for three or more. D is D1, D2 or D3 for counts of 1, 2, and 3 or
 * more. A history that was never seen says nothing: p_k = p_{k−1}.
 *
 * In the highest order c(hw) is how often the training text has hw. In every lower one it is how
 * many different tokens stand before hw there; where nothing can stand before it, since hw begins
 * its sequence, each time counts. Of each order, with n_j of its hw that have the count j,
 *
 *     Y = n1/(n1 + 2·n2)     Dj = j − (j + 1)·Y·n_{j+1}/n_j
 *
 * or, if one of n1 to n4 is 0 or a Dj is not above 0 and at most j: 1/2, 1 and 3/2. */
enum { KNESER_NEY_MOST = 8 }; /* the highest order */

/* What is done with a token: it is counted after its history, predicted, both, or only read. What
 * is done with it in a trial beside that, with other tokens to be predicted, is NGRAM_TRIAL times
 * as much. */
enum { NGRAM_COUNTED = 1, NGRAM_PREDICTED = 2, NGRAM_TRIAL = 4 };

/* Sequences, one after another. No history goes beyond the beginning of its sequence. */
typedef struct {
    int *tokens;      /* (count) */
    int *before;      /* (count) how many tokens of its sequence stand before each */
    uint8_t *purpose; /* (count) */
    size_t count;
    int vocabulary; /* V: tokens are below this */
} Ngrams;

/* losses, trial (KNESER_NEY_MOST + 1): the mean of −ln p over the tokens that are predicted, and
 * over those of the trial, of each order from 0 to `most`. */
void kneser_ney_losses(const Ngrams *text, int most, double *losses, double *trial);

/* The counts of one order, from which any probability can be asked for. */
typedef struct KneserNey KneserNey;

KneserNey *kneser_ney_new(const Ngrams *text, int order);
void kneser_ney_free(KneserNey *counts);

/* D1, D2 and D3 of order k. */
void kneser_ney_discounts(const KneserNey *counts, int k, double discounts[3]);

/* p (V): of each token after a history, of which the last order − 1 tokens are looked at. */
void kneser_ney_predict(const KneserNey *counts, const int *history, int length, double *p);

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
