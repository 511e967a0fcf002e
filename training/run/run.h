/* run.h: a run's directory, which is a Hugging Face model directory:
 *
 *     model.safetensors        the best weights so far
 *     config.json              the model's sizes, and in "pulga" all settings of the run
 *     tokenizer.json, tokenizer_config.json
 *     state.safetensors        all that going on needs: the last weights, Adam's moments, the best
 *                              weights where they are others, and the progress
 *     text.txt                 a copy of a text that is not large
 *     log.csv
 *     checkpoint-STEP/         older saves, where they are kept: see checkpoint.h
 *
 * A save writes the model first and the state last, each beside its place and renamed into it: the
 * state's rename is what counts. A kill before it costs nothing, since the run that goes on does
 * the same steps again to the same bits.
 *
 * Everything that going on depends on is checked by then: config.json has a checksum of itself and
 * of the tokenizer's files and the text, the state one of its numbers, of its progress, of the log
 * and of the settings that make the run what it is. */
#ifndef PULGA_RUN_H
#define PULGA_RUN_H

#include "training/plan.h"
#include "state.h"
#include "data/text.h"

/* The directory for a new run, made and claimed: settings->out, or one named after the text, the
 * next free one of that name. The caller frees. Dies where an existing run would be overwritten
 * unasked. */
char *run_directory(const Settings *settings, const char *text_path, Log *log);

/* Claims a run that goes on; dies where it cannot. */
Log run_claim(const char *directory);

/* What makes a run the one that it is, in one number: the settings that stay as they are, and the
 * text. */
uint64_t run_identity(const Settings *settings, const Text *text);

/* What does not change during a run: config.json, the tokenizer, the copy of the text. `command`
 * is the line it was started with. Each of these says what failed and returns false. */
bool run_write_description(const char *directory, const Plan *plan, const Vocabulary *vocabulary,
                           const char *text_path, const Text *text, const char *command);

/* All of a save; best: a block of weights, the model's. Where only the log could not be written it
 * is one all the same: the state holds the lines that are not safe yet. */
bool run_save(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
              const Progress *progress, Log *log, uint64_t identity);

/* Going on with a run: its settings as they were given and chosen; dies where there is none, or
 * where one of the small files is not what was written. */
void run_read_settings(const char *directory, Settings *settings);
/* The same written back, for a run that has become longer. Says what failed and returns false. */
bool run_write_settings(const char *directory, const Settings *settings);
/* For who only uses a model that train wrote: dies where one of the small files is not what was
 * written. Those of another hand say nothing of it. */
void run_check_seals(const char *directory);
/* The path of the run's own copy of its text, or NULL where it has none. The caller frees. */
char *run_text_path(const char *directory);
/* Dies unless this is the text that the run was started with. */
void run_check_text(const char *directory, const char *text_path, const Text *text);
/* Says so where another kernel, which adds in an order of its own, goes on. */
void run_check_kernel(const char *directory);

#endif
