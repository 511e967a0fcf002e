/* peak.h: what the machine can do at most, found by doing nothing else. */
#ifndef PULGA_PEAK_H
#define PULGA_PEAK_H

/* Floating-point operations a second of independent multiply-adds, on the threads in use. */
double peak_flops(void);

/* Bytes a second of reading a block far larger than any cache, on the threads in use. */
double peak_bandwidth(void);

#endif
