/* answer.h: what a model answers to a prompt: which tokens may come next, and continuations. It is
 * made here and printed by answer_print.c. Probabilities are the model's own, over all tokens; but
 * a continuation never contains a token that stands for no text, such as [bos].
 *
 * To a model of pairs a prompt is a source, and a continuation is its target. */
#ifndef PULGA_ANSWER_H
#define PULGA_ANSWER_H

#include "answerer.h"
#include "next_words.h"

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

/* Reads a prompt, which messages call `name`, and ranks the next tokens. If the prompt cannot be
 * answered, encoding.wrong says why. answer_free() frees the answer, which is valid until the next
 * one is begun. */
Answer answer_begin(Answerer *answerer, const char *name, const char *prompt, size_t size);

void answer_free(Answer *answer);

#endif
