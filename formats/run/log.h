/* log.h: the files of a run that only grow (lines.h). log.csv has a line for each step that is
 * logged or evaluated; its first line names the columns, which are the members of a LogEntry in
 * their order. shown.jsonl has the continuations that train --show has printed, each a line of
 * JSON:
 *
 *     {"step":20,"prompt":"un gato","text":"un gato come un hueso","ended":true,
 *      "log_probability":-3.2188758}
 *
 * The text is what was printed, with the prompt; of pairs only the target. */
#ifndef PULGA_LOG_H
#define PULGA_LOG_H

#include <stdint.h>

#include "lines.h"

typedef struct {
    int64_t step, epoch;  /* steps taken; the epoch that they have come to, from 1 */
    double loss;          /* of the step's own targets; NAN before the first step */
    double evaluated;     /* over the held-out or the whole training text; NAN if it was not */
    double bits_per_byte; /* the same loss in bits per byte; NAN likewise, or if [unk] is in it */
    double gap;           /* evaluated − floor; NAN if the floor is not counted */
    double rate, gradient_norm;        /* of the step; the norm before clipping */
    double tokens_per_second, seconds; /* since this call of train began to train */
} LogEntry;

/* A new log; and that of a resumed run, cut to this size. */
Lines log_begin(const Directory *directory);
Lines log_resume(const Directory *directory, size_t size);

/* Appends a line; a NAN is left empty. */
void log_write(Lines *log, const LogEntry *entry);

/* Calls a function with each line of a run's log, in order; with none if there is no log. A cell
 * that is empty or not a number is NAN. A line without a step, which a person may have written, is
 * left out, and so is the last one if it is not ended. */
typedef void LogVisit(void *visitor, const LogEntry *entry);
void log_each(const Directory *directory, LogVisit *visit, void *visitor);

/* What a new run has shown; and a resumed one, without the lines after those of step `last`. */
Lines shown_begin(const Directory *directory);
Lines shown_resume(const Directory *directory, int64_t last);

void shown_write(Lines *shown, int64_t step, const char *prompt, const char *text, bool ended,
                 double log_probability);

#endif
