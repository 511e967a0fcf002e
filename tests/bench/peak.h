/* peak.h: the work by which the machine's peak speed is measured, in arithmetic and in reading
 * memory; the other figures are judged by it. What the processor's data sheet says is not reached
 * on a machine that other programs share. */
#ifndef PULGA_PEAK_H
#define PULGA_PEAK_H

#include "measure.h"

/* A round is that many independent multiplications and additions on each thread. */
extern const double PEAK_OPERATIONS;
Measured measure_arithmetic(const void *unused);

/* A round reads that many bytes, all threads together: far more than any cache holds. */
extern const double PEAK_BYTES;
Measured measure_reading(const void *unused);

#endif
