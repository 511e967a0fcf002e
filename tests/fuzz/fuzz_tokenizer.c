/* fuzz_tokenizer.c: tokenizer.json of a model directory. */
#include "damaged_run.h"

FUZZ_A_FILE("word", "tokenizer.json")
