/* log.h: the files of a run that only grow. log.csv has a line for each step that is
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files/file.h"

/* ---- The files of a run ---- */

/* The names of a run's files; run.h says what is in each. */

/* The state is to be resumed, the model to be sampled; both are written at each save, the state
 * last, before it also the receipt. So are the curve and the card, after them: they only show what
 * the others say. The log and what --show has printed only grow. The other files do not
 * change during a run. */
#define STATE_FILE "state.safetensors"
#define MODEL_FILE "model.safetensors"
#define LOG_FILE "log.csv"
#define SHOWN_FILE "shown.jsonl"
#define RECEIPT_FILE "receipt.txt"
#define CURVE_FILE "curve.svg"
#define CARD_FILE "README.md"
#define TEXT_FILE "text.txt"
#define TOKENS_FILE "tokens.bin"
#define CONFIG_FILE "config.json"

/* All of them, ended by NULL, in the order in which they are removed: first what makes it possible
 * to resume the run, last what makes the directory a run at all. */
static const char *const RUN_FILES[] = {STATE_FILE,  MODEL_FILE,       LOG_FILE,
                                        SHOWN_FILE,  RECEIPT_FILE,     CURVE_FILE,
                                        CARD_FILE,   "tokenizer.json", "tokenizer_config.json",
                                        TOKENS_FILE, TEXT_FILE,        CONFIG_FILE,
                                        NULL};

/* A file of a run that only grows, line by line, such as log.csv. What it held at a save
 * is on the disk by then; a run that is resumed cuts it to that. */
typedef struct {
    const Directory *directory; /* the run's */
    const char *name;
    int file;       /* -1 until it is made */
    size_t size;    /* bytes that are safely on the disk */
    char *waiting;  /* stb_ds array: the lines after these bytes */
    size_t written; /* bytes of them that the system was given */
} Lines;

void lines_close(Lines *lines);

/* Makes sure that all lines are on the disk. If that fails they are kept and written the next time;
 * warns and returns false. */
bool lines_sync(Lines *lines);

typedef struct {
    int64_t step, epoch;  /* steps taken; the epoch that they have come to, from 1 */
    double loss;          /* of the step's own targets; NAN before the first step */
    double evaluated;     /* over the held-out or the whole training text; NAN if it was not */
    double bits_per_byte; /* the same loss in bits per byte; NAN likewise, or if [unk] is in it */
    double gap;           /* evaluated − floor; NAN if the floor is not counted */
    double rate, gradient_norm;        /* of the step; the norm before clipping */
    double tokens_per_second, seconds; /* since this call of train began to train */
} LogEntry;

/* A new log, which is made when lines are written; and that of a resumed run, cut to this size. If
 * it is shorter or missing, warns and begins again. */
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
