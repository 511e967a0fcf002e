/* gpt_config.c: the names of a model's sizes and choices. The enumerator is the index, so that
 * names and values cannot get out of step. */
#include "gpt_config.h"

#include <limits.h>

#include "base/language.h"

const char *const GPT_NORMS[] = {[NORM_PRE] = "pre", [NORM_POST] = "post", NULL};
const char *const GPT_POSITIONS[] = {
    [POSITIONS_SINUSOIDAL] = N_("sinusoidal"), [POSITIONS_LEARNED] = N_("learned"), NULL};
const char *const GPT_ACTIVATIONS[] = {
    [ACTIVATION_RELU] = "relu", [ACTIVATION_GELU] = "gelu", NULL};

#define FIELD_STRUCT GptConfig

/* A size, up to this. */
#define SIZE_FIELD(member, most) LIFE_RUN, WHOLE_FIELD(member, NULL, NULL, 1, most), NULL

/* Fixed positions stand in the file as a table, and an absent bias as zeros. */
const GptField GPT_FIELDS[] = {
    {{"layers", SIZE_FIELD(layers, GPT_MAX_LAYERS)}, .huggingface = "n_layer"},
    {{"heads", SIZE_FIELD(heads, GPT_MAX_HEADS)}, .huggingface = "n_head"},
    {{"width", SIZE_FIELD(width, GPT_MAX_WIDTH)}, .huggingface = "n_embd"},
    {{"head-size", SIZE_FIELD(head_size, GPT_MAX_WIDTH)}, .in_weights = false},
    {{"hidden", SIZE_FIELD(hidden, GPT_MAX_HIDDEN)}, .huggingface = "n_inner"},
    {{"context", SIZE_FIELD(context, GPT_MAX_CONTEXT)}, .huggingface = "n_positions"},
    {{"vocabulary", SIZE_FIELD(vocabulary, INT_MAX / 4)}, .huggingface = "vocab_size"},
    {{"positions", LIFE_RUN, CHOICE_FIELD(positions, GPT_POSITIONS, NULL), NULL},
     .in_weights = true,
     .shown = N_("%s positions")},
    {{"norm", LIFE_RUN, CHOICE_FIELD(norm, GPT_NORMS, NULL), NULL}, .shown = N_("%s-norm")},
    {{"activation", LIFE_RUN, CHOICE_FIELD(activation, GPT_ACTIVATIONS, NULL), NULL},
     .huggingface = "activation_function",
     .shown = "%s"},
    {{"untied", LIFE_RUN, FLAG_FIELD(untied), NULL}, .huggingface = "tie_word_embeddings"},
    {{"no-qkv-bias", LIFE_RUN, FLAG_FIELD(no_qkv_bias), NULL}, .in_weights = true},
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
