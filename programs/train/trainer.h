/* trainer.h: a run in the making: the text, the plan, the model, and how far it has come. A
 * Trainer points into itself: it may not be copied or moved once it is open. */
#ifndef PULGA_TRAINER_H
#define PULGA_TRAINER_H

#include "programs/train/saving/run.h"
#include "programs/train/team/shards.h"
#include "text/corpus/batches.h"
#include "text/corpus/counting.h"
#include "text/source.h"

/* Called during an evaluation with how much of it is done, from 0 to 1. Returns false to abandon
 * it. */
typedef bool EvaluationWatch(void *watcher, double share);

/* A loss over a part of the text. */
typedef struct {
    double loss, bits; /* per byte; NAN if it cannot be compared */
    size_t targets;
} Whole;

typedef struct {
    /* What the caller sets, with plan.settings, before it opens the trainer. */
    char *const *texts; /* the paths of the text, ended by NULL; of a run that is resumed, its
                           own copy is read if there are none */
    Decided decided;    /* which settings were given */
    SourceRules rules;  /* only the watch, and whom it is for */

    EvaluationWatch *watch; /* of each evaluation; it may be NULL, and set at any time */
    void *watcher;

    Source *source;      /* the text, until it is encoded and copied; then NULL. Of a new run the
                            caller may set it: a text that is no file */
    char *text_name;     /* what messages call it */
    CorpusOrigin origin; /* with the run's identity: see saving/run.h */
    int wrapped_at; /* the column, if a text of words is read as a stream because it is wrapped */
    char *advice;   /* the options that would suit the text better, or NULL: see plan/plan.h */
    Tokenizer tokenizer;
    Corpus corpus;
    Plan plan;
    Directory directory; /* the run's, locked */
    Lines log, shown;
    Receipt receipt;
    double floor;   /* see programs/train/plan/floor.h; NAN for a stream, where it is not counted */
    int floor_sees; /* how many tokens the model sees, if not all: see there */
    Counting counting;  /* what counting reaches on the part that is held out: see there */
    Whole whole;        /* the best weights' loss over all that is held out; NAN: not computed */
    double token_bytes; /* of the tokens that are evaluated: how many bytes of text one of them
                           stands for, on average; NAN if [unk] is among them: see corpus.h */

    Gpt gpt;
    Optimizer optimizer;
    Real *best;     /* a block of weights: those of the lowest loss in an evaluation */
    Reader reader;  /* hands out the pieces of each step */
    BatchRoom room; /* for the rows of the largest part of a step */
    Shards shards;  /* of each step */
    Progress progress;
} Trainer;

/* Opens a new run on a text or, if the settings name a run to resume, that run where it stopped.
 * With settings.verify nothing is to be written: a new run has no directory, and that of a resumed
 * one is only read. Dies if a file is bad; settings that do not fit are a usage error. The paths
 * must outlive the trainer; the settings are its own. */
void trainer_open(Trainer *trainer);
void trainer_close(Trainer *trainer);

/* All members of a team get the leader's settings; what they had before is freed. */
void share_settings(Settings *settings);

/* Dies if a text that was read is not the run's, which has the checksum `wanted`. */
void check_text(const char *name, uint64_t text, uint64_t wanted, const char *run);

/* Begins writing. For a new run: removes the run that it replaces, writes the files that do not
 * change, among them the command line, and frees the text. For a resumed run: writes the settings
 * that were changed, and the ids of a text that was read again. Warns and returns false if that
 * fails, or if there is no room for the saves. */
bool trainer_begin_files(Trainer *trainer, const char *command);

/* The row of a receipt for where the run is; `evaluated` is the loss here, or NAN. */
ReceiptRow trainer_receipt_row(const Trainer *trainer, double evaluated);

/* The weights that are evaluated and kept: the averaged ones, if there are any. */
Real *trainer_evaluated_weights(const Trainer *trainer);

/* Writes the model, the log and the state; all members of a team call it. Warns and returns false
 * if that fails; dies if a weight is not finite. */
bool trainer_save(Trainer *trainer);

/* Copies the weights that are evaluated, to keep them as the best. */
void trainer_keep_best(Trainer *trainer);

/* Evaluates a run that is stopped between two evaluations, after it was saved, and writes its model
 * again. The state stays as it was saved: the run that is resumed ends as if it had not been
 * stopped. All members of a team call it. */
void trainer_evaluate_stopped(Trainer *trainer);

/* Writes into config.json how far the run has come; seconds: trained by this call. Warns if that
 * fails: the run is complete without. */
void trainer_record_result(const Trainer *trainer, double seconds);

/* Dies before numbers are saved that are no longer finite: `what` was found at this step. Names the
 * first of the weights, or else of the gradients, that is not finite. If all of them are, only the
 * loss or the gradient's norm was too large. All members of a team call it. */
_Noreturn void end_not_finite(const Trainer *trainer, int64_t step, const char *what);

/* Keeps the last save as a checkpoint, and the last settings.keep of them. If that step has one
 * already, it is replaced if `again`, else kept. Warns and returns false if that fails. */
bool trainer_keep(const Trainer *trainer, bool again);

/* Whether the floor is that of what is evaluated: of all of the training text. */
bool trainer_has_floor(const Trainer *trainer);

/* Whether some of the text is held out. Then that part is evaluated, else the training text. */
bool trainer_holds_out(const Trainer *trainer);

/* The first evaluation after a step is that of this step: --eval-every, or a twentieth of the run
 * if its evaluations are large and rarer than every tenth. */
int trainer_first_evaluation(const Trainer *trainer);

/* ---- A step, and evaluations: step.c ---- */

/* Forward, backward and update over the next sequences; returns how many tokens were read. All
 * members of a team call it: each computes its shards (see shards.h). Dies, keeping what was saved,
 * if the loss or a gradient is not finite. */
int64_t trainer_step(Trainer *trainer);

/* The loss over a part of the text. All members of a team call these functions, and compute a share
 * of it; the sum has the same bits for any number of them. */

/* The loss over the held-out text or, if nothing is held out, over the training text, or over a
 * sample of that (see text/corpus/corpus.h); keeps the weights if it is the lowest so far, but not
 * those that a run begins with, unless they are another model's. NAN if it was abandoned: then
 * nothing has changed. Dies if the loss is not finite. */
double trainer_evaluate(Trainer *trainer);

/* Sets trainer->whole: the loss of the best weights over all of what trainer_evaluate() has a
 * sample of, or over as much as takes a hundredth of the time that the run took. It is NAN if that
 * was abandoned, or if the sample already is that large. */
void trainer_evaluate_best(Trainer *trainer);

/* Mixes the best weights with counting: finds the share at which both together predict the part
 * that was set aside best, and what they then reach on the part that is evaluated: both NAN if it
 * was abandoned. */
void trainer_mix(Trainer *trainer);

#endif
