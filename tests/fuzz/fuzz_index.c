/* fuzz_index.c: model.safetensors.index.json of a model directory. */
#include "damaged_run.h"

FUZZ_A_FILE("word", "model.safetensors.index.json")
