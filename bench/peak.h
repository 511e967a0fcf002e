/* peak.h: the machine's peak speed in arithmetic and in reading memory, by which the other figures
 * are judged. Both are measured, since what the processor's data sheet says is not reached on a
 * machine that other programs share. */
#ifndef PULGA_PEAK_H
#define PULGA_PEAK_H

/* Floating-point operations per second of independent multiply-adds, on the threads in use. */
double peak_flops(void);

/* Bytes per second when reading a block far larger than any cache, on the threads in use. */
double peak_bandwidth(void);

#endif
