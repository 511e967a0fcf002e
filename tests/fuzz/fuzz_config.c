/* fuzz_config.c: config.json of a model directory. */
#include "damaged_run.h"

FUZZ_A_FILE("word", "config.json")
