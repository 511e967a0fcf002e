/* process.h: the surroundings that a program wants before it begins. */
#ifndef PULGA_PROCESS_H
#define PULGA_PROCESS_H

/* To be called first in main. GNU's OpenMP lets a thread that waits for the others spin for
 * milliseconds before it sleeps; where a neighbour needs the processor, every loop of a small model
 * then takes as long. How long to spin can only be said in the environment before the program
 * begins, so unless the caller's environment says it, the program is begun again with a spin of a
 * few microseconds, and without wishes for stacks of another size than the system's. Limits that
 * would end in a crash are seen to as well, and a container's memory is made known to
 * memory_check. */
void process_prepare(char **argv);

#endif
