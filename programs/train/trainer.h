/* trainer.h: a run in the making: the text, the plan, the model, and how far it has come. A
 * Trainer points into itself: it may not be copied or moved once it is open. */
#ifndef PULGA_TRAINER_H
#define PULGA_TRAINER_H

#include <stdio.h>

#include "programs/train/saving/run.h"
#include "programs/train/team/shards.h"
#include "text/corpus/batches.h"
#include "text/corpus/counting.h"
#include "text/source.h"

typedef struct {
    char *const *texts;  /* the paths of the text; of a run that reads its own copy empty */
    Source *source;      /* the text, until it is encoded and copied; then NULL */
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

/* Opens a new run on a text, the paths of which end with NULL, or, if the settings name a run to
 * resume, that run where it stopped; then there need not be a text. With settings->verify nothing
 * is to be written: a new run has no directory, and that of a resumed one is only read. Dies if a
 * file is bad; settings that do not fit are a usage error. The paths and the settings' strings must
 * outlive the trainer. watch is called during what may take long; it may be NULL. */
void trainer_open(Trainer *trainer, char *const *texts, Settings *settings, Decided *decided,
                  SourceWatch *watch, void *watcher);
void trainer_close(Trainer *trainer);

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

/* A loss in bits per byte; NAN if it cannot be compared. */
double trainer_bits(const Trainer *trainer, double loss);

/* Whether the floor is that of what is evaluated: of all of the training text. */
bool trainer_has_floor(const Trainer *trainer);

/* Whether some of the text is held out. Then that part is evaluated, else the training text. */
bool trainer_holds_out(const Trainer *trainer);

#endif
