/* fuzz_weights.c: model.safetensors of a model directory. */
#include "damaged_run.h"

FUZZ_A_FILE("word", "model.safetensors")
