/* gpt_config.h: the sizes and options that define a model.
 *
 * The letters of the whole code: N rows (all tokens of a batch), T context length, L layers, H
 * heads, D width of one head, C width of the model, F hidden width of the feed-forward layer,
 * V vocabulary. */
#ifndef PULGA_GPT_CONFIG_H
#define PULGA_GPT_CONFIG_H

#include "base/field.h"
#include "pattern.h"

/* The largest sizes that the options and a config.json may ask for. */
enum {
    GPT_MAX_LAYERS = 1000,
    GPT_MAX_HEADS = 1000,
    GPT_MAX_WIDTH = 1 << 16, /* of the model, or of a head */
    GPT_MAX_HIDDEN = 1 << 18,
    GPT_MAX_CONTEXT = 1 << 20
};

typedef enum { NORM_PRE, NORM_POST } Norm; /* where the layer norms stand, not how they compute */
typedef enum { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED } PositionKind;
typedef enum { ACTIVATION_RELU, ACTIVATION_GELU } Activation;

/* The names of these choices; NULL ends each list. */
extern const char *const GPT_NORMS[], *const GPT_POSITIONS[], *const GPT_ACTIVATIONS[];

typedef struct GptConfig {
    int context, layers, heads, head_size, width, hidden, vocabulary; /* T L H D C F V */
    Norm norm;              /* if pre-norm, there is one more layer norm after the last block */
    PositionKind positions; /* sinusoidal ones are fixed */
    Activation activation;
    bool untied; /* the head has a table of its own; else it uses the embedding's */
    bool no_qkv_bias;
    const Pattern *patterns; /* (L, H) what each head attends to; NULL: all of them all */
} GptConfig;

/* The members of a GptConfig but for its patterns. Files, the page and whoever compares two models
 * walk this table. */
typedef struct {
    Field field; /* by the name of train's option; the limits are those of a file */
    /* What Transformers' config.json calls it. NULL: it has no such choice; then a model that
     * differs from GPT-2 here is not a gpt2, unless the file of the weights shows the choice
     * (in_weights). */
    const char *huggingface;
    bool in_weights;
    const char *shown; /* a choice as it is announced, with its value; NULL: its name and value */
} GptField;

extern const GptField GPT_FIELDS[];
#define EACH_GPT_FIELD(entry) \
    for (const GptField *(entry) = GPT_FIELDS; (entry)->field.name; (entry)++)

/* The first choice of a model that Transformers' gpt2 does not have, or NULL. If norm is NORM_POST,
 * the model is compared with openai-gpt instead. */
const GptField *gpt_config_beyond(const GptConfig *config, Norm norm);

#endif
