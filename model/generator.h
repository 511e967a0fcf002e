/* generator.h: a model that reads a prompt and is continued token by token. What it has read stays
 * in a slot of a KV cache, so each further token costs one row.
 *
 * When the context is full, the generator forgets: it reads the last T/2 tokens again from position
 * 0, after [bos] if the model has one. With a context of 8, the ninth token is the last of five
 * that are read: [bos] and four. Then there is room for three more. */
#ifndef PULGA_GENERATOR_H
#define PULGA_GENERATOR_H

#include "base/base.h"
#include "model/shape/batch.h"
#include "gpt.h"

/* Chooses a token by the scores of all tokens, in this order:
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

/* It owns the two arrays; the model and the cache are the caller's. Generators of one model may
 * share a cache, each with a slot of its own. */
typedef struct {
    Gpt *gpt;
    KvCache cache;
    int slot;     /* of the cache */
    int bos;      /* -1: none */
    int prefix;   /* the first tokens of the prompt that all see each other */
    int *tokens;  /* (T + 1) what it has read and not forgotten */
    int count;    /* of tokens */
    bool forgot;  /* since generator_begin() */
    Real *logits; /* (V) the scores of the next token */
} Generator;

/* generator_free() frees it, but not the cache. */
Generator generator_new(Gpt *gpt, KvCache cache, int slot, int bos);
void generator_free(Generator *generator);

/* Reads a prompt of at least one token, the first `prefix` of which all see each other; of one that
 * is longer than the context, only the end, and then there may not be such a prefix. What was read
 * before is forgotten. logits are then those of the token after the prompt. */
void generator_begin(Generator *generator, const int *tokens, int count, int prefix);

/* After generator_begin(), and before anything else is read: logits (count, V) receive what the
 * model computes at these tokens of the prompt, which must fit into the context. A model that was
 * trained to fill gaps predicts each of the tokens there. */
void generator_look_at(const Generator *generator, const int *places, int count, Real *logits);

/* Reads one token more, usually one that was chosen by the logits. */
void generator_add(Generator *generator, int token);

/* Brings a generator to the state of another one of the same model, without reading. */
void generator_copy(Generator *to, const Generator *from);

/* How many tokens are read again when the context is full, and whether after [bos]. */
int generator_keeps(const Generator *generator, bool *after_bos);

/* ---- Beam search ---- */

/* Beam search, for the most probable continuations of a prompt. Of all continuations that are one
 * token longer than the best so far, the best `width` are kept. One that has reached [eos] is
 * complete: it keeps its probability, and its place until better ones push it out.
 *
 * Probabilities are those of the whole continuation, the product of p over its tokens, not
 * corrected for its length. So a beam wide enough to hold every continuation finds the most
 * probable ones exactly. If repetition is penalized, continuations are ranked by the probabilities
 * that the penalized logits give. */

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
