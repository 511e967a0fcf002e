/* fuzz_subwords.c: tokenizer.json of a model of subwords. */
#include "damaged_run.h"

FUZZ_A_FILE("bpe", "tokenizer.json")
