/* process.h: the limits of the process that a program runs in. */
#ifndef PULGA_PROCESS_H
#define PULGA_PROCESS_H

/* Called first in main. Dies if the stack is too small for a matrix product, keeps the number of
 * threads within what OpenMP can start, and tells base and cJSON what they need to know of memory. */
void process_prepare(void);

#endif
