/* directory.h: a run's directory with one file replaced. */
#ifndef PULGA_FUZZ_DIRECTORY_H
#define PULGA_FUZZ_DIRECTORY_H

#include <stddef.h>

/* Opens the directory with these bytes as the file of that name, as those programs do that read it:
 * to sample and attend, to go on training. Returns 0. */
int open_with(const char *name, const void *bytes, size_t size);

#endif
