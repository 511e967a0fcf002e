/* memory.h: how much memory this process has. */
#ifndef PULGA_TEST_MEMORY_H
#define PULGA_TEST_MEMORY_H

#include <stdbool.h>

/* Whether an instrument is at work, which may touch what the program does not. */
bool memory_unknown(void);

/* The bytes of this process that are in memory, and the most that were. */
double memory_resident(void);
double memory_peak(void);

#endif
