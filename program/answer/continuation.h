/* continuation.h: how a model goes on after a prompt, or fills its gaps. */
#ifndef PULGA_CONTINUATION_H
#define PULGA_CONTINUATION_H

#include "answer.h"

/* Called after each token of a continuation, so that a person sees it grow. */
typedef void AnswerWatch(const Answer *answer, const Continuation *so_far, void *watcher);

/* Adds the continuations. watch may be NULL. */
void answer_continue(Answerer *answerer, Answer *answer, AnswerWatch *watch, void *watcher);

/* The tokens of the prompt, without a hidden one, and of one of its continuations unless that is
 * NULL, each gap filled; *count receives how many. The caller frees them. */
int *answer_tokens(const Answer *answer, const Continuation *continuation, int *count);

#endif
