/* run.h: a run's directory, which is a Hugging Face model directory:
 *
 *     model.safetensors        the best weights so far
 *     config.json              the model's sizes, and in "pulga" all settings of the run
 *     tokenizer.json, tokenizer_config.json
 *     state.safetensors        all that a resumed run needs: the last weights, Adam's moments, the
 *                              best weights if they are others, and the progress
 *     text.txt                 a copy of the text or, if it is large,
 *     tokens.bin               its ids: see text/corpus/corpus.h
 *     log.csv
 *     shown.jsonl              what --show has printed: see log.h
 *     receipt.txt              by which the training can be checked: see receipt.h
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

#include "formats/run/log.h"
#include "receipt.h"
#include "record.h"
#include "state.h"

/* Dies if settings->out is a directory that a new run must not take: if a run would be overwritten
 * unasked, or if a file would be lost that is not a run's. So a large text need not be read to
 * know. The paths of the texts end with NULL. */
void run_check(const Settings *settings, char *const *texts);

/* Where a run on this text is written unless there is one already: runs/perro for data/perro.txt.
 * The caller frees it. */
char *run_name(const char *text);

/* Opens and locks the directory for a new run: settings->out, which is checked as above, or a new
 * one named after the first of its texts. Nothing in it is changed yet except what a kill has
 * left. */
Directory run_begin(const Settings *settings, char *const *texts);

/* Opens and locks a directory, until it is closed; dies if another process has locked it. */
Directory run_open(const char *path);

/* Opens and locks a run to resume; dies if that is not possible. */
Directory run_resume(const char *path);

/* Removes the run that a new one replaces, if there is one. Warns and returns false if that fails.
 * */
bool run_remove_old(const Directory *directory);

#endif
