/* checkpoint.h: earlier saves that are kept in a run: RUN/checkpoint-STEP, each a run of its own as
 * it stood then. Its files are the run's, under a second name (hard links): they take room only
 * after the run has replaced them. Only the log, which is written in place, is a copy.
 *
 * A checkpoint is made under a hidden name and renamed when it is whole, and renamed back before it
 * is removed: whatever is called checkpoint-STEP is whole. */
#ifndef PULGA_CHECKPOINT_H
#define PULGA_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/directory.h"

/* The files of a run, ended by NULL, in the order in which they are removed: first what makes it
 * possible to resume it, last what makes it a run at all. */
extern const char *const RUN_FILES[];

/* Keeps the run as it was last saved, at this step, with so many bytes of its log, and of all
 * checkpoints up to this step the last `most`. If there is one of this step already it is replaced
 * if `again`, else left as it is. A checkpoint to which something was added, or in which another
 * process trains, is left alone. Warns and returns false if the checkpoint cannot be made. */
bool checkpoint_keep(const Directory *run, int64_t step, size_t log_size, int most, bool again);

bool checkpoints_exist(const Directory *run);

/* Removes what a kill has left half made or half removed; with `all`, the checkpoints too. */
void checkpoints_clear(const Directory *run, bool all);

/* Whether a path leads to one of the run's files or to one of a checkpoint's. */
bool checkpoints_hold(const Directory *run, const char *path);

#endif
