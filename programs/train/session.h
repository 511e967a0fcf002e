/* session.h: a call of train: it takes a run through its steps, evaluates, logs and saves when that
 * is due, and prints what comes of it. */
#ifndef PULGA_SESSION_H
#define PULGA_SESSION_H

#include <signal.h>

#include "curve.h"
#include "report.h"
#include "trainer.h"

typedef struct {
    Trainer trainer;
    Screen screen;
    Report report;
    Curve curve;          /* of all lines of the log; the leader's */
    struct Show *show;    /* likewise, if there is --show; else NULL */
    struct cJSON *config; /* of the run, for its card; likewise */
    double begun, saved;  /* clock: when training began, when it last saved */
    int64_t first_step;   /* the one that this call began at */
    int64_t saved_step;   /* the step of the last save that did not fail */
    size_t tokens;        /* trained on */
    LogEntry last;        /* the last step's numbers, and its evaluation's if there was one */
    /* The signal that asks the run to stop, looked at after each step and during evaluations; and
     * as the leader has told it to all members. */
    volatile sig_atomic_t *asked;
    int signal;
} Session;

/* Saves a new run before its first step: from then on it can be resumed, whatever ends it. The
 * trainer is open, `command` is the command line, `asked` and `screen` are set. Warns and returns
 * false if the run cannot be written. */
bool session_begin(Session *session, const char *command);

/* Takes a step, and does what is due after it. Returns false if there was none left to take. */
bool session_step(Session *session);

/* The parts of that, for a run that is trained again: what is printed and timed begins, up to the
 * step `last`; takes the step; evaluates, NAN if a signal came; and the line of the log for
 * the step that was just taken. What is not known is NAN: the evaluation if none was made, the gap
 * if no floor belongs to what is evaluated, and before the first step its own numbers. */
void session_start(Session *session, int64_t last);
void session_take_step(Session *session);
double session_evaluate(Session *session);
LogEntry session_entry(const Session *session, double evaluated);

/* Trains to the end what was opened with settings.verify: the trainer's best weights are then those
 * that a run would save. Prints and writes nothing. `watch` is called after each step, with how
 * much is done; if it returns false, training stops, and so does this. */
bool session_train_in_memory(Trainer *trainer, EvaluationWatch *watch, void *watcher);

/* Saves where the run is. If that fails, prints the reason and what it means: `otherwise`. */
bool session_save(Session *session, const char *otherwise);

/* Saves, and prints how it ended; program is the name that it was called by, or NULL. Returns
 * whether the last step is saved. */
typedef const char *SignalName(int signal);
bool session_end(Session *session, const char *program, SignalName *signal_name);

/* ---- Other tasks than to train ---- */

/* Verifies what settings.verify names: a run, or a .zip of one; a checkpoint of one, from which it
 * trains to the next or to the end; or a receipt. First compares the files of the run with the
 * receipt. The trainer's texts are the words after it: the text, unless the run holds a copy, and
 * other runs, each of which then gets one line. Prints what comes of it, and returns whether all is
 * the same. Dies if that cannot be known. Writes no file. The session's screen is set; its trainer
 * is opened and closed here. */
bool verify(Session *session);

/* Prints a table of runs, or of .zips of runs, whose paths end with NULL: the best loss of each,
 * its model's size and checksum, whether that is the first one's, the time it took, and the
 * settings in which they differ; then the mean of the losses. Marks losses that cannot be compared
 * with the first run's. `file` is a path or NULL: an .svg gets the losses of their evaluations, a
 * .csv the table; "-.csv" is standard output, which then has only that. Prints why one cannot be
 * read, and leaves it out. Dies if another file would be replaced. Returns false if anything was
 * left out, or if the file cannot be written. */
bool compare(char *const *runs, const char *file, const Screen *screen);

#endif
