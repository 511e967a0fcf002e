/* checkpoint.h: earlier saves that are kept in a run: RUN/checkpoint-STEP, each a run of its own as
 * it stood then. Its files are the run's, under a second name (hard links): they take room only
 * after the run has replaced them. Only what is written in place is a copy: the log, and what
 * --show has printed.
 *
 * A checkpoint is made under a hidden name, .checkpoint-STEP, and renamed when it is whole; to be
 * removed it is hidden again first. So whatever is called checkpoint-STEP is whole. */
#ifndef PULGA_CHECKPOINT_H
#define PULGA_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/files/file.h"

/* Makes a checkpoint of the run as it was last saved, at this step, with the first log_size bytes
 * of its log; then removes all checkpoints up to this step except the last `most`. If there is one
 * of this step already, it is replaced if `again`, else kept. A checkpoint to which something was
 * added, or in which another process trains, is left alone. Warns and returns false if the
 * checkpoint cannot be made. */
bool checkpoint_keep(const Directory *run, int64_t step, size_t log_size, int most, bool again);

/* The steps of all checkpoints, in their order: an stb_ds array, which the caller frees. */
int64_t *checkpoint_steps(const Directory *run);

/* RUN/checkpoint-STEP; the caller frees it. */
char *checkpoint_path(const Directory *run, int64_t step);

/* The step of a checkpoint's name, or -1 if it is not one. "checkpoint-007" is not. */
int64_t checkpoint_step(const char *name);

/* Removes checkpoints that a kill has left half made or half removed; with `all`, all others. */
void checkpoints_clear(const Directory *run, bool all);

#endif
