/* step.h: a step of the training. */
#ifndef PULGA_STEP_H
#define PULGA_STEP_H

#include "trainer.h"

/* Forward, backward and update over the next sequences; returns how many tokens were read. All
 * members of a team call it: each computes its shards (see shards.h). Dies, keeping what was saved,
 * if the loss or a gradient is not finite. */
int64_t trainer_step(Trainer *trainer);

#endif
