/* answerer.h: what answering prompts needs, made once for all of them: a model, a text to count in,
 * rules, and memory to work with. */
#ifndef PULGA_ANSWERER_H
#define PULGA_ANSWERER_H

#include <signal.h>

#include "base/numbers/random.h"
#include "formats/run/training_text.h"
#include "model/generate/generator.h"
#include "model/generate/sampler.h"

/* A probability that is printed as 0.000. */
#define ROW_LEAST 0.0005

/* How many targets a search keeps, unless it is told. */
enum { BEAM_OF_PAIRS = 5 };

/* How to answer: the options of sample. */
typedef struct {
    int table;              /* rows of the table of next tokens */
    bool all_rows;          /* also those that would print 0.000 */
    bool words_of_subwords; /* a table of whole words, if the tokens are subwords */
    int count;              /* continuations */
    int words;              /* tokens of each, at most */
    int beam;               /* how many a beam search keeps; 0: continuations are drawn */
    double least; /* of those it finds, less probable ones are left out, but not the best */
    Sampling sampling;
    double penalty; /* of repetition, see penalize_repetition(); 0 or 1: none */
    char *stop;     /* continuations end before this text; NULL: nowhere */
    int seed;
} AnswerRules;

typedef struct {
    Pretrained *model;
    const TrainingText *text;
    AnswerRules rules;
    KvCache cache;
    Generator prompt;  /* has read the prompt */
    Generator writer;  /* writes one continuation after another */
    double *p, *log_p; /* (V) probabilities of the next token */
    Ranked *ranked;    /* (V) scratch memory */
    bool *barred;      /* (V) tokens that no continuation contains */
    bool *seen;        /* (V) tokens of the prompt and of the continuation, if repetition is
                          penalized; else NULL */
    bool pairs;        /* prompts are sources, and continuations their targets */
    bool gaps;         /* prompts are lines with gaps, and continuations what fills them */
    uint32_t asked;    /* prompts so far: each draws with random numbers of its own */
    const volatile sig_atomic_t *interrupt; /* if not 0, the continuation ends; NULL: never */
} Answerer;

Answerer answerer_new(Pretrained *model, const TrainingText *text, AnswerRules rules);
void answerer_free(Answerer *answerer);

bool answerer_is_interrupted(const Answerer *answerer);

/* If repetition is penalized: notes that only these tokens were seen. */
void answerer_see(Answerer *answerer, const int *tokens, int count);

/* Draws a token from the writer's logits by the rules, but none that is barred, and notes that it
 * was seen; log_p receives ln p of all tokens by the model itself. `place` numbers the draw: each
 * has its own random bits, which do not depend on what was drawn before. */
int answerer_draw(Answerer *answerer, Random4 place);

#endif
