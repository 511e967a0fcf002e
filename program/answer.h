/* answer.h: what a model says to a prompt, as text for a person or as JSON for a program: what may
 * come next, and continuations. Probabilities are the model's own, over all tokens; but of those
 * that are no words, as [bos], no continuation has one: the others share their weight. */
#ifndef PULGA_ANSWER_H
#define PULGA_ANSWER_H

#include "training/run/training_text.h"
#include "model/generate/beam.h"
#include "model/generate/sampler.h"
#include "model/generate/generator.h"
#include "screen.h"

typedef struct {
    int table;        /* rows of the table of next words */
    bool all_rows;    /* also those that would say 0.000 */
    int count, words; /* continuations, and tokens of each at most */
    int beam;         /* 0: they are drawn */
    Sampling sampling;
    uint32_t seed;
    bool json;
} AnswerRules;

/* All that answering needs, over an open model. */
typedef struct {
    Pretrained *model;
    const TrainingText *source;
    AnswerRules rules;
    Screen screen;
    Generator prompt; /* has read the prompt, which every continuation goes on from */
    Generator writer;
    KvCache cache;
    double *p, *log_p; /* (V) probabilities */
    Ranked *ranked;    /* (V) */
    size_t *next;      /* (V) counts */
    int *tokens;       /* (words) of a continuation */
    bool *barred;      /* (V) no continuation has this token */
    uint32_t asked;    /* prompts so far: each draws its own */
} Answerer;

Answerer answerer_new(Pretrained *model, const TrainingText *source, AnswerRules rules);
void answerer_free(Answerer *answerer);

/* Answers on standard output. Returns NULL, or what is wrong with the prompt in one line (the
 * caller frees), which as JSON was said already. */
char *answer(Answerer *answerer, const char *name, const char *prompt, size_t size);

#endif
