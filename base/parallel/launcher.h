/* launcher.h: what mpirun and srun tell the processes that they start. */
#ifndef PULGA_LAUNCHER_H
#define PULGA_LAUNCHER_H

/* How many processes were started together with this one, itself included; 0 if no launcher started
 * it. *number receives which of them it is, from 0. */
int launcher_processes(int *number);

#endif
