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

/* What of it is safe on the disk: its bytes, and a checksum that goes on from line to line. */
typedef struct {
    size_t size;
    uint64_t checksum;
} LogMark;

/* The log of a run that is being written. Who has it open owns the run: it is locked, so that no
 * other process can write there; the lock ends with the process, however that ends. */
typedef struct {
    int file;
    char *path;
    LogMark safe;
    char *lines;    /* stb_ds array: what comes behind, until it is safe too */
    size_t written; /* bytes of them that the system was given */
} Log;

/* Opens and locks directory/log.csv, made where it is absent, and parted from that of a copy made
 * of hard links. Dies where another process has it. */
Log log_claim(const char *directory);
void log_close(Log *log);

/* A run that is moved away may find a successor in its place. Says so and returns false where its
 * log is another than this: to be asked before each file is written. */
bool log_check(const Log *log);

/* Begins it anew, with nothing but its header. */
void log_begin(Log *log);

/* Goes on behind log->safe and log->lines, as a state says: what stands there must be what was
 * written, and what lies beyond is cut off. Dies where it is not. */
void log_go_on(Log *log);

/* Appends a line; a NAN is left empty. */
void log_write(Log *log, const LogEntry *entry);

/* All lines so far, on the disk. Where that fails they are kept and written the next time. Returns
 * false with errno set. */
bool log_sync(Log *log);

/* Whether every line is. */
bool log_is_safe(const Log *log);

#endif
