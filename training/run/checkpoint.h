/* checkpoint.h: older saves that are kept beside a run: RUN/checkpoint-STEP, each a run of its own
 * as it stood then. Its files are the run's, under a second name: they take room of their own only
 * when the run has replaced them. Only its log is a copy, since a log is written in place.
 *
 * One is made under another name and renamed when it is whole, and renamed before it is removed:
 * whatever is called checkpoint-STEP is whole, and what a kill left goes when the run goes on. */
#ifndef PULGA_CHECKPOINT_H
#define PULGA_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of a run, ended by NULL, in the order in which they are removed: first what makes it
 * one that can go on, last what makes it one at all. */
extern const char *const RUN_FILES[];

/* Keeps the run as it is saved, at a step, with so many bytes of its log, and of all that are kept
 * up to this step the last `most`. Where that step is kept already, it is made anew, or left as it
 * is. One to which something was added, or in which another process
 * trains, is left alone. Says what failed and returns false. */
bool checkpoint_keep(const char *directory, int64_t step, size_t log_size, int most, bool anew);

bool checkpoints_are_in(const char *directory);

/* Removes what a kill has left half made or half removed; with `all`, the checkpoints too. */
void checkpoints_clear(const char *directory, bool all);

#endif
