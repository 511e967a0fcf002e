/* fuzz_state.c: state.safetensors of a model directory. */
#include "damaged_run.h"

FUZZ_A_FILE("word", "state.safetensors")
