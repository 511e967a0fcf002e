/* run.h: a run's directory, which is a Hugging Face model directory:
 *
 *     model.safetensors        the best weights so far
 *     config.json              the model's sizes, and in "pulga" all settings of the run
 *     tokenizer.json, tokenizer_config.json
 *     state.safetensors        all that a resumed run needs: the last weights, Adam's moments, the
 *                              best weights if they are others, and the progress
 *     text.txt                 a copy of the text, unless it is large
 *     log.csv
 *     checkpoint-STEP/         earlier saves that are kept: see checkpoint.h
 *
 * The directory is opened and locked once; its files are then read and written through its handle.
 *
 * A save writes the model, the log and at last the state, each beside its place and then renamed
 * into it: the state's rename is what counts. After a kill before that, the resumed run takes the
 * same steps again and comes to the same bits. */
#ifndef PULGA_RUN_H
#define PULGA_RUN_H

#include "log.h"
#include "record.h"
#include "state.h"

/* Opens and locks the directory for a new run: settings->out, or one named after the text, the next
 * free one of that name. Nothing in it is changed yet. Dies if a run would be overwritten unasked,
 * or if anything in it would be lost that is not a run's. */
Directory run_begin(const Settings *settings, const char *text_path);

/* Opens and locks a run that goes on; dies if it cannot. */
Directory run_resume(const char *path);

/* Removes the run that a new one replaces, if there is one, and writes what stays as it is during a
 * run: config.json, the tokenizer, the copy of the text. Warns and returns false if that fails. */
bool run_describe(const Directory *directory, const Plan *plan, const Tokenizer *tokenizer,
                  const char *text_path, const Text *text, const char *command,
                  const Identity identity);

/* Saves everything; best: a block of weights, the model's. Warns and returns false if that fails:
 * the save before stays whole. */
bool run_save(const Directory *directory, const Gpt *gpt, const Adam *adam, Real *best,
              const Progress *progress, Log *log, const Identity identity);

#endif
