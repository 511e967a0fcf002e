/* report.h: what training prints while it runs: a table with one row for each row of log.csv and,
 * on a terminal, a status line below it. With --json all functions print JSON instead. */
#ifndef PULGA_REPORT_H
#define PULGA_REPORT_H

#include "programs/terminal/screen.h"
#include "trainer.h"

typedef struct {
    /* What the caller sets. */
    const Trainer *trainer;
    const Screen *screen;
    int64_t last;   /* the step at which this call stops */
    double printed; /* clock: when the last row was printed, at first now */

    bool has_header; /* it is printed before the first row */
    bool holds;      /* the first row waits until it is known how long the run will take: */
    LogEntry held;
    char **held_shown;
    int64_t timed; /* steps that were taken */
    /* Sums that fade: of the last seconds' steps, their rows, and how long they took. */
    double recent_steps, recent_rows, recent_seconds;
    double evaluation_seconds; /* of the last one; 0 before the first */
    double refreshed;          /* clock: when the status line was last printed */
    double evaluating;         /* clock: when the evaluation began that is going on */
} Report;

/* Prints a row: a step's loss, unless NAN, and that of an evaluation made after it, unless NAN;
 * below it, continuations that show the model: an stb_ds array, which becomes the report's, or
 * NULL. The first row waits until some steps have been timed, or for the next row, because a line
 * above the table says how long the run will take. */
void report_row(Report *report, const LogEntry *entry, char **shown);

/* Ends the table. */
void report_end(Report *report);

/* Notes how long one step took. The time left is estimated from this and from evaluation_seconds,
 * which the caller sets. */
void report_step_time(Report *report, double seconds, int64_t rows);

/* Refresh the status line, at most ten times a second: after a step, and while evaluating. Without
 * a terminal, a step prints a row if the last one is a minute old; as JSON, a second. */
void report_step(Report *report, const LogEntry *entry);
void report_evaluating(Report *report, double share);

/* ---- The beginning and the end ---- */

/* Prints what was read, what losses to expect, the model and the settings that were chosen, and
 * where the run is written: before the first step and before any file is written. */
void announce(const Trainer *trainer, const Screen *screen);

/* How a call of train ended. */
typedef struct {
    const char *program;  /* the name it was called by; NULL in the lab, which has no commands */
    const char *signal;   /* the one that stopped it, or NULL */
    bool in_evaluation;   /* the signal came during one */
    bool out_of_patience; /* see --patience */
    bool saved;           /* the last step; if not, the reason was printed */
    int64_t steps;        /* taken by this call */
    size_t tokens;        /* trained on */
    double seconds;
} Ending;

/* Prints why training stopped, the best loss, the model's checksum, the time it took, and the
 * commands that come next. */
void conclude(const Trainer *trainer, const Screen *screen, const Ending *ending);

/* ", 2.2177 bits per byte"; "" if that is NAN. */
Digits bits_shown(double bits);

/* What the model reaches over all that is held out, which trainer->whole has; the caller frees. */
char *whole_text(const Trainer *trainer);

/* ---- The card ---- */

/* Writes README.md, the model card of the run as it was last saved, in the user's language: what it
 * was trained on, its sizes and losses, its checksum, and the command that makes it again. Its head
 * is what the Hugging Face Hub reads. `config` is config.json as it was when this call of train
 * began. A card that a person has written or changed stays as it is. One that cannot be written is
 * worth a warning, no more. */
void card_write(const Trainer *trainer, const struct cJSON *config);

#endif
