/* gpt_config.c: the names of a model's sizes and choices. The enumerator is the index, so that names
 * and values cannot get out of step. */
#include "gpt_config.h"

#include <limits.h>

#include "base/language.h"

const char *const GPT_NORMS[] = {[NORM_PRE] = "pre", [NORM_POST] = "post", NULL};
const char *const GPT_POSITIONS[] = {
    [POSITIONS_SINUSOIDAL] = N_("sinusoidal"), [POSITIONS_LEARNED] = N_("learned"), NULL};
const char *const GPT_ACTIVATIONS[] = {
    [ACTIVATION_RELU] = "relu", [ACTIVATION_GELU] = "gelu", NULL};

#define FIELD_STRUCT GptConfig

/* Fixed positions stand in the file as a table, and an absent bias as zeros. */
const GptField GPT_FIELDS[] = {
    {{"layers", WHOLE_FIELD(layers), .min = 1, .max = GPT_MAX_LAYERS}, .huggingface = "n_layer"},
    {{"heads", WHOLE_FIELD(heads), .min = 1, .max = GPT_MAX_HEADS}, .huggingface = "n_head"},
    {{"width", WHOLE_FIELD(width), .min = 1, .max = GPT_MAX_WIDTH}, .huggingface = "n_embd"},
    {{"head-size", WHOLE_FIELD(head_size), .min = 1, .max = GPT_MAX_WIDTH}, .in_weights = false},
    {{"hidden", WHOLE_FIELD(hidden), .min = 1, .max = GPT_MAX_HIDDEN}, .huggingface = "n_inner"},
    {{"context", WHOLE_FIELD(context), .min = 1, .max = GPT_MAX_CONTEXT},
     .huggingface = "n_positions"},
    {{"vocabulary", WHOLE_FIELD(vocabulary), .min = 1, .max = INT_MAX / 4},
     .huggingface = "vocab_size"},
    {{"positions", CHOICE_FIELD(positions, GPT_POSITIONS), .preset = NULL},
     .in_weights = true,
     .shown = N_("%s positions")},
    {{"norm", CHOICE_FIELD(norm, GPT_NORMS), .preset = NULL}, .shown = N_("%s-norm")},
    {{"activation", CHOICE_FIELD(activation, GPT_ACTIVATIONS), .preset = NULL},
     .huggingface = "activation_function",
     .shown = "%s"},
    {{"untied", FLAG_FIELD(untied), .preset = NULL}, .huggingface = "tie_word_embeddings"},
    {{"no-qkv-bias", FLAG_FIELD(no_qkv_bias), .preset = NULL}, .in_weights = true},
    {{.name = NULL}, .in_weights = false},
};

const GptField *gpt_config_beyond(const GptConfig *config, Norm norm)
{
    /* All other choices are 0: value 0 of an enum that Transformers has no name for must be
     * GPT-2's. */
    const GptConfig theirs = {.norm = norm, .head_size = config->head_size};
    EACH_GPT_FIELD (f)
        if (!f->huggingface && !f->in_weights && !field_equal(&f->field, config, &theirs))
            return f;
    return NULL;
}
