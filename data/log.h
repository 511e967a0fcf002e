/* log.h: log.csv, a line for each step that is logged or evaluated. */
#ifndef PULGA_LOG_H
#define PULGA_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    int64_t step, epoch;
    double loss;      /* of the step's own targets; NAN before the first step */
    double evaluated; /* over the held-out or the whole training text; NAN where it was not */
    double gap;       /* evaluated − floor; NAN where the floor is not counted */
    double rate, gradient_norm;
    double tokens_per_second, seconds;
} LogEntry;

/* Opens directory/log.csv: a new one, or an existing one cut back to `size` bytes. Dies where it
 * cannot. */
FILE *log_open(const char *directory, size_t size);

/* Appends a line; a NAN is left empty. */
void log_write(FILE *log, const LogEntry *entry);

/* The bytes written so far, on the disk. Says what failed and returns false. */
bool log_sync(FILE *log, size_t *size);

#endif
