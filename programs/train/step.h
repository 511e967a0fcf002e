/* step.h: a step of the training. */
#ifndef PULGA_STEP_H
#define PULGA_STEP_H

#include "trainer.h"

/* Forward, backward and update over the next sequences; returns how many tokens were read. All
 * members of a team call it: each computes its shards (see shards.h). Dies, keeping what was saved,
 * if the loss or a gradient is not finite. */
int64_t trainer_step(Trainer *trainer);

/* ---- Evaluation ---- */

/* The loss over a part of the text. All members of a team call these functions, and compute a share
 * of it; the sum has the same bits for any number of them. */

/* Called during an evaluation with how much of it is done, from 0 to 1. Returns false to abandon
 * it. */
typedef bool EvaluationWatch(void *watcher, double share);

/* The loss over the held-out text or, if nothing is held out, over the training text, or over a
 * sample of that (see text/corpus/corpus.h); keeps the weights if it is the lowest so far. NAN if
 * it was abandoned: then nothing has changed. Dies if the loss is not finite. watch may be NULL. */
double trainer_evaluate(Trainer *trainer, EvaluationWatch *watch, void *watcher);

/* The loss of the best weights over all of what trainer_evaluate() has a sample of, or over as much
 * as takes a hundredth of the time that the run took; *targets receives how many targets that are,
 * *bits the loss in bits per byte, NAN if it cannot be compared. NAN if it was abandoned, or if the
 * sample already is that large: then these two mean nothing. */
double trainer_evaluate_best(Trainer *trainer, size_t *targets, double *bits,
                             EvaluationWatch *watch, void *watcher);

/* Mixes the best weights with counting: finds the share at which both together predict the part
 * that was set aside best, and what they then reach on the part that is evaluated: both NAN if it
 * was abandoned. */
void trainer_mix(Trainer *trainer, EvaluationWatch *watch, void *watcher);

#endif
