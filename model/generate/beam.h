/* beam.h: beam search, for the most probable continuations of a prompt. Of all continuations that
 * are one token longer than the best so far, the best `width` are kept. One that has reached [eos]
 * is complete: it keeps its probability, and its place until better ones push it out.
 *
 * Probabilities are those of the whole continuation, the product of p over its tokens, not
 * corrected for its length. So a beam wide enough to hold every continuation finds the most
 * probable ones exactly. If repetition is penalized, continuations are ranked by the probabilities
 * that the penalized logits give. */
#ifndef PULGA_BEAM_H
#define PULGA_BEAM_H

#include "model/gpt.h"
#include "model/shape/batch.h"

/* A continuation of the prompt. */
typedef struct {
    int *tokens; /* (count) after the prompt, with [eos] */
    int count;
    double score;           /* ln of the probability that it is ranked by */
    double log_probability; /* ln of its probability by the model itself: the score, unless
                               repetition is penalized */
    bool ended;             /* by [eos] or ends(); else cut at the largest number of tokens */
    int slot;               /* of the KV cache */
} Hypothesis;

typedef struct {
    int width;          /* hypotheses kept at each token */
    int most;           /* tokens of each */
    int eos;            /* -1: none */
    const bool *barred; /* (V) tokens that no continuation has; NULL: none */
    const bool *seen;   /* (V) the tokens of the prompt, if repetition is penalized; else NULL */
    double penalty;     /* of repetition; see penalize_repetition() */
    bool (*ends)(const int *tokens, int count, void *judge); /* whether a continuation of these */
    void *judge;                                             /* tokens is complete; or NULL */
} BeamRules;

/* The best continuations, at most `width`, most probable first; beam_free() frees them. The cache
 * has `width` slots, and `read` tokens have been read in slot 0; logits (V) are the scores of the
 * token after them. They and a continuation without its last token fit into the context. */
Hypothesis *beam_search(Gpt *gpt, const KvCache *cache, const Real *logits, int read,
                        BeamRules rules, int *found);
void beam_free(Hypothesis *found, int count);

#endif
