/* record.h: what config.json says of a run beside its model: the settings, the text, and the run's
 * identity.
 *
 * The identity is one checksum of the settings that a resumed run keeps, the text and the
 * vocabulary. It stands in config.json, in the model and in the state of a run. A person may edit
 * config.json or tokenizer.json and still use the model; but a run is resumed only if its identity,
 * computed again, is the same. */
#ifndef PULGA_RECORD_H
#define PULGA_RECORD_H

#include "formats/huggingface/config.h"
#include "programs/train/plan/plan.h"

/* The identity of a run with these settings, on a text with this checksum and with this
 * vocabulary. */
uint64_t record_identity(const Settings *settings, uint64_t text, const Tokenizer *tokenizer);

/* Reads the config.json of a run that is to be resumed; dies if it is not a run's. */
Config record_read(const Directory *directory);

/* Its settings, into a struct that has the defaults. */
void record_settings(const Config *config, const Directory *directory, Settings *settings);

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

#endif
