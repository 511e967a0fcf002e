/* run.h: a run's directory, which is a Hugging Face model directory:
 *
 *     model.safetensors        the best weights so far
 *     config.json              the model's sizes, and in "pulga" all settings of the run
 *     tokenizer.json, tokenizer_config.json
 *     state.safetensors        all that a resumed run needs: the last weights, Adam's moments, with
 *                              --average the averaged weights, the best weights if they are
 *                              others, and the progress
 *     text.txt                 a copy of the text or, if it is large,
 *     tokens.bin               its ids: see text/corpus/corpus.h
 *     log.csv
 *     shown.jsonl              what --show has printed: see log.h
 *     receipt.txt              by which the training can be checked: see below
 *     curve.svg                a picture of the log, see below
 *     README.md                the model card, likewise
 *     checkpoint-STEP/         earlier saves that are kept: see checkpoint.h
 *
 * The directory is opened and locked once; its files are then read and written through its handle.
 *
 * A save replaces the model and the receipt, syncs the log and what was shown, and at last replaces
 * the state; files are replaced by a rename. The state's rename is what counts: if a kill comes
 * before it, the resumed run takes the same steps again and comes to the same bits.
 *
 * curve.svg and README.md are no part of a save: nothing reads them. train writes them after each
 * save, and replaces them as it does the others, but not a README.md that a person has written or
 * changed; if that fails, the save is whole all the same. */
#ifndef PULGA_RUN_H
#define PULGA_RUN_H

#include "base/files/file.h"
#include "formats/huggingface/config.h"
#include "formats/run/log.h"
#include "model/optimizer.h"
#include "programs/train/plan/plan.h"

/* Dies if settings->out is a directory that a new run must not take: if a run would be overwritten
 * unasked, or if a file would be lost that is not a run's. So a large text need not be read to
 * know. The paths of the texts end with NULL. */
void run_check(const Settings *settings, char *const *texts);

/* Where a run on this text is written unless there is one already: runs/perro for data/perro.txt.
 * The caller frees it. */
char *run_name(const char *text);

/* Opens and locks the directory for a new run: settings->out, which is checked as above, or one
 * named after the first of its texts: a new one, or that of a short run whose receipt has the same
 * head, which is made again there. Nothing in it is changed yet except what a kill has left. */
Directory run_begin(const Settings *settings, char *const *texts, const char *receipt);

/* Opens and locks a directory, until it is closed; dies if another process has locked it. */
Directory run_open(const char *path);

/* Opens and locks a run to resume; dies if that is not possible. */
Directory run_resume(const char *path);

/* Removes the run that a new one replaces, if any; warns and returns false if that fails. */
bool run_remove_old(const Directory *directory);

/* ---- config.json ---- */

/* What config.json says of a run beside its model: the settings, the text, and the run's identity.
 *
 * The identity is one checksum of the settings that a resumed run keeps, the text and the
 * vocabulary. It stands in config.json, in the model and in the state of a run. A person may edit
 * config.json or tokenizer.json and still use the model; but a run is resumed only if its identity,
 * computed again, is the same. */

/* The identity of a run with these settings, on a text with this checksum and with this
 * vocabulary. */
uint64_t record_identity(const Settings *settings, uint64_t text, const Tokenizer *tokenizer);

/* Reads the config.json of a run that is to be resumed; dies if it is not a run's. All its settings
 * replace those of the call, except what may change and was asked for. Afterwards everything is
 * decided, so that plan.c chooses nothing. A call that contradicts it is a usage error. */
Config record_take_over(const Directory *directory, Settings *settings, Decided *decided);

/* Dies unless a resumed run is still the one that config.json was written for. */
void record_check_identity(const Config *config, const Directory *directory, uint64_t identity);

/* Dies unless the sizes and choices in config.json that other programs read agree with the settings
 * under "pulga". Warns if a run in bfloat16 was begun with another kernel, whose sums differ in the
 * last bits. */
void record_check_plan(const Config *config, const Directory *directory, const Plan *plan);

/* Writes the config.json of a new run; `texts` are the paths of its text, `command` is the line
 * that it was begun with. Warns and returns false if that fails. */
bool record_write(const Directory *directory, const Plan *plan, const Tokenizer *tokenizer,
                  char *const *texts, CorpusOrigin origin, const char *command);

/* Puts the settings of this call into a run's config.json. Unless it is NULL, `result` takes the
 * place of an earlier one, to whose seconds it adds `seconds`; it is freed. Warns and returns false
 * if that fails. */
bool record_update(const Directory *directory, const Settings *settings, struct cJSON *result,
                   double seconds);

/* ---- receipt.txt ---- */

/* receipt.txt, by which anyone can check how a model was trained: the version, the
 * checksum of the text, every setting, and checksums after each evaluation and at each save that is
 * kept. It names no file, time or machine: whoever trains the same gets the same receipt.
 *
 *     # To check: train --verify FILE TEXT
 *     version: 0.1
 *     text: 05a12f370b3ee3c1
 *     text-size: 212
 *     identity: 21de9fd719d50c5c
 *     objective: next
 *     ...
 *     keep: 0
 *
 *         step       of  loss                  state             model
 *            0      300  6.9807730301666271    3c0f...           6fa2...
 *
 * `of` is how many steps the run is planned for from this row on (if that has changed, the row ends
 * with `replanned`), `loss` what an evaluation found (-: there was none), `state` the
 * state_checksum() of all that the next step starts from, `model` that of the best weights so far,
 * as train prints it at the end. */

typedef struct {
    int64_t step, of;
    double loss; /* NAN if nothing was evaluated */
    uint64_t state, model;
    bool replanned; /* whether the file says so; it is not set in a row that is added */
} ReceiptRow;

typedef struct {
    char *head;       /* all lines before the table */
    ReceiptRow *rows; /* stb_ds array, by their steps */
} Receipt;

/* The receipt of a run whose table begins after this step. `from` is the checksum of the model that
 * it starts from, 0 if there is none. */
Receipt receipt_begin(const Settings *settings, CorpusOrigin origin, uint64_t from, int64_t step);
void receipt_free(Receipt *receipt);

/* Adds a row, in place of those from its step on, if there are any: a resumed run comes to them
 * again. If it replaces one of its own step and was not evaluated, it keeps that one's loss. */
void receipt_add(Receipt *receipt, ReceiptRow row);

/* Removes the rows after a step. */
void receipt_cut(Receipt *receipt, int64_t step);

/* The value of a key, which the caller frees; NULL if it is missing. */
char *receipt_value(const Receipt *receipt, const char *key);

/* How many steps are planned after the last row. */
int receipt_planned(const Receipt *receipt);

/* Warns and returns false if the file cannot be written. */
bool receipt_write(const Directory *directory, const Receipt *receipt);

/* Parses a file. Returns false, with nothing to free, if it is not a receipt, or that of another
 * run than the one with this identity, unless that is 0. */
bool receipt_parse(Receipt *receipt, const char *file, uint64_t identity);

/* ---- state.safetensors ---- */

/* How far a run has come: all that a step reads or changes beside weights and moments. */
typedef struct {
    int64_t step;  /* done */
    int64_t epoch; /* from 0, and the next piece of it: see text/corpus/batches.h */
    size_t next;
    double best_loss;           /* infinity before the first evaluation */
    int64_t best_step;          /* if it is `step`, they are the last or averaged ones */
    int worse;                  /* evaluations since the best one, for --patience */
    double loss, gradient_norm; /* of the last step, for the log */
    bool evaluated;             /* since that step */
} Progress;

/* Writes it, with the size of the log and the identity of the run. Warns and returns
 * false if that fails. */
bool state_write(const Directory *directory, const Gpt *gpt, const Optimizer *optimizer, Real *best,
                 const Progress *progress, size_t log_size, uint64_t identity);

/* Reads it into the weights, the optimizer and the block `best`; dies if it is damaged or belongs
 * to a run of another identity. */
Progress state_read(const Directory *directory, Gpt *gpt, Optimizer *optimizer, Real *best,
                    size_t *log_size, uint64_t identity);

/* The checksum of all that the next step starts from: the weights, both moments, the averaged
 * weights if there are any. */
uint64_t state_checksum(const Gpt *gpt, const Optimizer *optimizer);

#endif
