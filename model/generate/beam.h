/* beam.h: the most probable continuations of a prompt, searched breadth first: of all that one more
 * token makes of the best so far, the best `width` are kept. One that has come to [eos] is
 * complete: it stays among them with the probability it has until better ones push it out.
 * Probabilities are those of the whole continuation and are not corrected for its length, so a
 * beam that holds every beginning finds the most probable continuations there are. */
#ifndef PULGA_BEAM_H
#define PULGA_BEAM_H

#include "model/gpt.h"

typedef struct {
    int *tokens; /* (count) behind the prompt, [eos] with them */
    int count;
    double log_probability; /* ln of the continuation's probability */
    bool ended;             /* with [eos]; else it was cut at the most tokens */
    int slot;               /* where the model remembers it */
} Hypothesis;

typedef struct {
    int width;          /* hypotheses kept at each token */
    int most;           /* tokens of each */
    int eos;            /* -1: none */
    const bool *barred; /* (V) tokens that no continuation has; NULL: none */
} BeamRules;

/* The best ones, at most `width`, most probable first. The model remembers `width` slots, the first
 * of which has read `read` tokens; logits (V) is what may follow them. They and a continuation fit
 * in the context but for its last token. The caller frees what is found with beam_free. */
Hypothesis *beam_search(Gpt *gpt, const Real *logits, int read, BeamRules rules, int *found);
void beam_free(Hypothesis *found, int count);

#endif
