/* process.h: prepares a program's process: standard files, memory limit, status, threads. */
#ifndef PULGA_PROCESS_H
#define PULGA_PROCESS_H

#include <stdbool.h>

/* Called first in main, before any file is opened. Standard files that were closed are opened, so
 * that no other file takes their place; memory is limited to what the container and ulimit -m
 * allow; and a program whose output cannot be written will end with status 1. */
void process_prepare(void);

/* Does a task in a process of its own, so that an error which ends it does not end this one.
 * Returns whether it was done and has returned true. Call it before process_start_threads(): GNU's
 * OpenMP threads do not survive a fork. */
bool process_apart(bool task(void *), void *argument);

/* Whether that is so: in WebAssembly the task is done in this process. */
bool process_has_others(void);

/* Sets the number of threads, 0 for as many as there are, after making sure that they can be
 * started and that their stacks hold the blocks of a matrix product; dies if not. */
void process_start_threads(int threads);

#endif
