/* program_run.h: runs ./train as a user does, and measures it until a step. */
#ifndef PULGA_PROGRAM_RUN_H
#define PULGA_PROGRAM_RUN_H

#include "measure.h"

/* Runs "exec ./train ..." to its end. The median is the seconds from its start until it prints the
 * row of a step, and the bytes are its most anonymous memory, which does not count mapped files.
 * Both are 0 if it fails. */
Measured measure_program(const char *command, int step);

#endif
