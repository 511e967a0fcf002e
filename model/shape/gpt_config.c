/* gpt_config.c: the names of a model's sizes and choices. The enumerator is the index, so that
 * names and values cannot get out of step. */
#include "gpt_config.h"

#include <limits.h>

#include "base/language.h"

const char *const GPT_NORMS[] = {[NORM_PRE] = "pre", [NORM_POST] = "post", NULL};
const char *const GPT_POSITIONS[] = {[POSITIONS_SINUSOIDAL] = N_("sinusoidal"),
                                     [POSITIONS_LEARNED] = N_("learned"),
                                     [POSITIONS_ROTARY] = N_("rotary"),
                                     NULL};
const char *const GPT_ACTIVATIONS[] = {
    [ACTIVATION_RELU] = "relu", [ACTIVATION_GELU] = "gelu", [ACTIVATION_SILU] = "silu", NULL};

#define FIELD_STRUCT GptConfig

/* A size, up to this. */
#define SIZE_FIELD(member, most) LIFE_RUN, WHOLE_FIELD(member, NULL, NULL, 1, most), NULL

/* In a gpt2's file fixed positions stand as a table, and an absent bias as zeros. */
const GptField GPT_FIELDS[] = {
    {{"layers", SIZE_FIELD(layers, GPT_MAX_LAYERS)}, .names = {"n_layer", "num_hidden_layers"}},
    {{"heads", SIZE_FIELD(heads, GPT_MAX_HEADS)}, .names = {"n_head", "num_attention_heads"}},
    {{"key-heads", SIZE_FIELD(key_heads, GPT_MAX_HEADS)}, .names = {NULL, "num_key_value_heads"}},
    {{"width", SIZE_FIELD(width, GPT_MAX_WIDTH)}, .names = {"n_embd", "hidden_size"}},
    {{"head-size", SIZE_FIELD(head_size, GPT_MAX_WIDTH)}, .names = {NULL, "head_dim"}},
    {{"hidden", SIZE_FIELD(hidden, GPT_MAX_HIDDEN)}, .names = {"n_inner", "intermediate_size"}},
    {{"context", SIZE_FIELD(context, GPT_MAX_CONTEXT)},
     .names = {"n_positions", "max_position_embeddings"}},
    {{"vocabulary", SIZE_FIELD(vocabulary, INT_MAX / 4)}, .names = {"vocab_size", "vocab_size"}},
    {{"positions", LIFE_RUN, CHOICE_FIELD(positions, GPT_POSITIONS, NULL), NULL},
     .in_weights = true,
     .shown = N_("%s positions")},
    {{"theta", LIFE_RUN, NUMBER_FIELD(theta, NULL, NULL, 1, 1e12), NULL}, .names = {NULL, NULL}},
    {{"norm", LIFE_RUN, CHOICE_FIELD(norm, GPT_NORMS, NULL), NULL}, .shown = N_("%s-norm")},
    {{"rms", LIFE_RUN, FLAG_FIELD(rms), NULL}, .shown = "RMSNorm"},
    {{"norm-epsilon", LIFE_RUN, NUMBER_FIELD(norm_epsilon, NULL, NULL, 1e-12, 1), NULL},
     .names = {"layer_norm_epsilon", "rms_norm_eps"}},
    {{"activation", LIFE_RUN, CHOICE_FIELD(activation, GPT_ACTIVATIONS, NULL), NULL},
     .names = {"activation_function", "hidden_act"},
     .shown = "%s"},
    {{"gated", LIFE_RUN, FLAG_FIELD(gated), NULL}, .shown = N_("gated")},
    {{"untied", LIFE_RUN, FLAG_FIELD(untied), NULL},
     .names = {"tie_word_embeddings", "tie_word_embeddings"}},
    {{"no-qkv-bias", LIFE_RUN, FLAG_FIELD(no_qkv_bias), NULL}, .in_weights = true},
    {{"no-other-bias", LIFE_RUN, FLAG_FIELD(no_other_bias), NULL}, .in_weights = true},
    {{.name = NULL}, .in_weights = false},
};

GptFamily gpt_config_family(const GptConfig *config)
{
    return config->norm == NORM_PRE && config->rms && config->positions == POSITIONS_ROTARY &&
                   config->activation == ACTIVATION_SILU && config->gated && config->no_other_bias
               ? FAMILY_LLAMA
               : FAMILY_GPT2;
}

const GptField *gpt_config_beyond(const GptConfig *config, Norm norm)
{
    /* All other choices are 0: value 0 of an enum that Transformers has no name for must be
     * GPT-2's. What the weights show may be as it is. */
    const GptConfig theirs = {
        .norm = norm,
        .head_size = config->head_size,
        .key_heads = config->heads,
        .positions = config->positions == POSITIONS_ROTARY ? POSITIONS_LEARNED : config->positions,
        .theta = config->theta,
        .no_qkv_bias = config->no_qkv_bias,
        .no_other_bias = config->no_other_bias};
    EACH_GPT_FIELD (f)
        if (!f->names[FAMILY_GPT2] && !field_equal(&f->field, config, &theirs))
            return f;
    return NULL;
}
