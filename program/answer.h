/* answer.h: what a model answers to a prompt: which tokens may come next, and continuations. It is
 * made here and printed by answer_print.c. Probabilities are the model's own, over all tokens; but
 * a continuation never contains a token that stands for no text, such as [bos].
 *
 * To a model of pairs a prompt is a source, and a continuation is its target. */
#ifndef PULGA_ANSWER_H
#define PULGA_ANSWER_H

#include "model/generate/generator.h"
#include "model/generate/sampler.h"
#include "next_words.h"
#include "training/run/training_text.h"

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
    int seed;
} AnswerRules;

typedef struct {
    int *tokens, count;     /* after the prompt, with [eos] */
    double log_probability; /* ln p of all of them together, by the model itself */
    bool ended;             /* by [eos]; else it was cut */
    bool context_full;      /* the context was full before the continuation was complete */
    bool in_text;           /* the text has prompt and continuation word for word; of a pair, from
                               the beginning of its line on */
} Continuation;

/* All that is known about one prompt. */
typedef struct {
    const char *prompt; /* as given; or the token that was drawn because it was empty */
    uint32_t number;    /* of the prompt, from 0 */
    Encoding encoding;  /* its tokens, or why there is no answer */
    int hidden;         /* 1 if its first token is [bos] or a line end that was added, else 0 */
    bool context_full;  /* the prompt has more tokens than the context */
    Ranked *next;       /* (rows) the most probable next tokens, with their probabilities */
    int rows;
    NextWord *words;     /* stb_ds array: the most probable next words, if they are asked for */
    const size_t *times; /* (V) how often the training text continues with each token */
    size_t times_in_all; /* the sum; 0 also if there is no text to count in */
    Continuation *continuations;
    int count;
} Answer;

/* Called after each token of a continuation, so that a person sees it grow. */
typedef void AnswerWatch(const Answer *answer, const Continuation *so_far, void *watcher);

/* What answering needs, made once for all prompts. */
typedef struct {
    Pretrained *model;
    const TrainingText *text;
    AnswerRules rules;
    KvCache cache;
    Generator prompt;  /* has read the prompt */
    Generator writer;  /* writes one continuation after another */
    double *p, *log_p; /* (V) probabilities of the next token */
    Ranked *ranked;    /* (V) scratch memory */
    size_t *times;     /* (V) those of the answer that was begun last */
    bool *barred;      /* (V) tokens that no continuation contains */
    bool pairs;        /* prompts are sources, and continuations their targets */
    uint32_t asked;    /* prompts so far: each draws with random numbers of its own */
} Answerer;

Answerer answerer_new(Pretrained *model, const TrainingText *text, AnswerRules rules);
void answerer_free(Answerer *answerer);

/* Reads a prompt, which messages call `name`, and ranks the next tokens. If the prompt cannot be
 * answered, encoding.wrong says why. answer_free() frees the answer, which is valid until the next
 * one is begun. */
Answer answer_begin(Answerer *answerer, const char *name, const char *prompt, size_t size);

/* Adds the continuations. watch may be NULL. */
void answer_continue(Answerer *answerer, Answer *answer, AnswerWatch *watch, void *watcher);

/* The tokens of the prompt, without a hidden one, and of one of its continuations unless that is
 * NULL; *count receives how many. The caller frees them. */
int *answer_tokens(const Answer *answer, const Continuation *continuation, int *count);

void answer_free(Answer *answer);

#endif
