/* gpt_config.c: the enumerator is the index, so that names and values cannot get out of step. */
#include "gpt_config.h"

#include <stddef.h>

const char *const GPT_NORMS[] = {[NORM_PRE] = "pre", [NORM_POST] = "post", NULL};
const char *const GPT_POSITIONS[] = {
    [POSITIONS_SINUSOIDAL] = "sinusoidal", [POSITIONS_LEARNED] = "learned", NULL};
const char *const GPT_ACTIVATIONS[] = {
    [ACTIVATION_RELU] = "relu", [ACTIVATION_GELU] = "gelu", NULL};
