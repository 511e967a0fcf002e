/* continuation.h: how a model goes on after a prompt, or fills its gaps. */
#ifndef PULGA_CONTINUATION_H
#define PULGA_CONTINUATION_H

#include "answer.h"

/* Called after each token of continuation `number`, and once more when it is complete, so that a
 * person sees it grow. */
typedef void AnswerWatch(const Answer *answer, int number, const Continuation *so_far,
                         void *watcher);

/* Adds the continuations. watch, which may be NULL, sees those that are drawn. */
void answer_continue(Answerer *answerer, Answer *answer, AnswerWatch *watch, void *watcher);

/* The tokens of the prompt, without a hidden one, and of one of its continuations unless that is
 * NULL, each gap filled; *count receives how many. The caller frees them. */
int *answer_tokens(const Answer *answer, const Continuation *continuation, int *count);

/* The text of these tokens, up to where it is cut; the caller frees. */
char *answer_text(const Answerer *answerer, const Answer *answer, const Continuation *continuation);

#endif
