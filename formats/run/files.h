/* files.h: the names of a run's files; run.h says what is in each. */
#ifndef PULGA_FILES_H
#define PULGA_FILES_H

#include <stddef.h>

/* The state is to be resumed, the model to be sampled; both are written at each save, the state
 * last, before it also the receipt. So are the curve and the card, after them: they only show what
 * the others say. The log and what --show has printed only grow (lines.h). The other files do not
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

#endif
