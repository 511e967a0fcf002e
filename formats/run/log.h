/* log.h: log.csv, a line for each step that is logged or evaluated; its first line names the
 * columns, which are the members of a LogEntry in their order. */
#ifndef PULGA_LOG_H
#define PULGA_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files/directory.h"

typedef struct {
    int64_t step, epoch;  /* steps taken; the epoch that they have come to, from 1 */
    double loss;          /* of the step's own targets; NAN before the first step */
    double evaluated;     /* over the held-out or the whole training text; NAN if it was not */
    double bits_per_byte; /* the same loss in bits per byte; NAN likewise, or if [unk] is in it */
    double gap;           /* evaluated − floor; NAN if the floor is not counted */
    double rate, gradient_norm;        /* of the step; the norm before clipping */
    double tokens_per_second, seconds; /* since this call of train began to train */
} LogEntry;

/* The log of a run that is being written. It only grows: a state holds its size at that moment, and
 * a run that is resumed from the state cuts the log to that size. */
typedef struct {
    const Directory *directory; /* the run's */
    int file;                   /* -1 until it is made */
    size_t size;                /* bytes that are safely on the disk */
    char *lines;                /* stb_ds array: the lines after these bytes */
    size_t written;             /* bytes of the lines that the system was given */
} Log;

/* A new log; the file is made when the first lines are written. */
Log log_begin(const Directory *directory);

/* The log, cut to this size. If it is shorter or missing, warns and begins again. */
Log log_resume(const Directory *directory, size_t size);

void log_close(Log *log);

/* Calls a function with each line of a run's log, in order; with none if there is no log. A cell
 * that is empty or not a number is NAN. A line without a step, which a person may have written, is
 * left out, and so is the last one if it is not ended. */
typedef void LogVisit(void *visitor, const LogEntry *entry);
void log_each(const Directory *directory, LogVisit *visit, void *visitor);

/* Appends a line; a NAN is left empty. */
void log_write(Log *log, const LogEntry *entry);

/* Makes sure that all lines are on the disk. If that fails they are kept and written the next time;
 * warns and returns false. */
bool log_sync(Log *log);

#endif
