/* trainer.h: a run in the making: the text, the plan, the model, and how far it has come. A
 * Trainer points into itself: it may not be copied or moved once it is open. */
#ifndef PULGA_TRAINER_H
#define PULGA_TRAINER_H

#include <stdio.h>

#include "base/threads.h"
#include "data/corpus/batches.h"
#include "data/corpus/reader.h"
#include "training/run/run.h"

typedef struct {
    const char *text_path; /* of a run that reads its own copy: that of the copy */
    Text text;             /* without its bytes once they are encoded and copied */
    char *hint; /* the options that would suit the text better, or NULL: see data/hint.h */
    Tokenizer tokenizer;
    Corpus corpus;
    Plan plan;
    Directory directory; /* the run's, locked */
    Config config;       /* of a resumed run, as it was read; else empty */
    Log log;
    Identity identity;  /* of settings, text and vocabulary: see record.h */
    double floor;       /* see data/corpus/floor.h; NAN for a stream, where it is not counted */
    double token_bytes; /* of the tokens that are evaluated: how many bytes of text one of them
                           stands for, on average; NAN if [unk] is among them: see bytes.h */

    Gpt gpt;
    Optimizer optimizer;
    Real *best;        /* a block of weights: those of the lowest loss in an evaluation */
    Reader reader;     /* hands out the pieces of each step */
    BatchRoom room;    /* for the rows of the largest part of a step */
    ThreadTrial trial; /* how many threads a step is worth */
    Progress progress;
} Trainer;

/* Opens a new run on a text or, if the settings name a run to resume, that run where it stopped.
 * Dies if a file is bad; settings that do not fit are a usage error. The settings' strings
 * must outlive the trainer. */
void trainer_open(Trainer *trainer, const char *text_path, Settings *settings, Decided *decided);
void trainer_close(Trainer *trainer);

/* Begins writing. For a new run: removes the run that it replaces, writes the files that do not
 * change, among them the command line, and frees the text. For a resumed run: writes the settings
 * that were changed. Warns and returns false if that fails. */
bool trainer_begin_files(Trainer *trainer, const char *command);

/* Forward, backward and update over the next sequences; returns how many targets they had. Dies,
 * keeping what was saved, if the loss or a gradient is not finite. */
int64_t trainer_step(Trainer *trainer);

/* Called during an evaluation with how much of it is done, from 0 to 1. Returns false to abandon
 * it. */
typedef bool EvaluationWatch(void *watcher, double share);

/* The loss over the held-out text or, if nothing is held out, over the training text; keeps the
 * weights if it is the lowest so far. NAN if it was abandoned: then nothing has changed. Dies if
 * the loss is not finite. watch may be NULL. */
double trainer_evaluate(Trainer *trainer, EvaluationWatch *watch, void *watcher);

/* Writes the model, the log and the state. Warns and returns false if that fails; dies if a weight
 * is not finite. */
bool trainer_save(Trainer *trainer);

/* Keeps the last save as a checkpoint, and the last settings.keep of them. If that step has one
 * already, it is replaced if `again`, else kept. Warns and returns false if that fails. */
bool trainer_keep(const Trainer *trainer, bool again);

/* The same loss in bits per byte; NAN if it cannot be compared. */
double trainer_bits(const Trainer *trainer, double loss);

/* Whether some of the text is held out. Then that part is evaluated, else the training text. */
bool trainer_holds_out(const Trainer *trainer);

#endif
