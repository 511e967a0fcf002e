/* damaged_run.h: a run's directory with one file replaced. */
#ifndef PULGA_DAMAGED_RUN_H
#define PULGA_DAMAGED_RUN_H

#include <stddef.h>

/* Opens the run with these bytes as the file of that name, as the programs that read it do: to
 * sample, to attend and to go on training. Returns 0. */
int open_with(const char *name, const void *bytes, size_t size);

#endif
