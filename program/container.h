/* container.h: what the system allows a process of what the machine has. */
#ifndef PULGA_CONTAINER_H
#define PULGA_CONTAINER_H

/* Bytes of memory that the groups of processes (cgroups) which this one is in may take, as those of
 * a container; infinity where nothing says. Who takes more is killed without a word. */
double container_memory(void);

#endif
