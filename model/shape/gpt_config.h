/* gpt_config.h: the sizes and options that define a model.
 *
 * The letters of the whole code: N rows (all tokens of a batch), T context length, L layers, H
 * heads, K heads of keys and values, D width of one head, C width of the model, F hidden width of
 * the feed-forward layer, V vocabulary. */
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

typedef enum { NORM_PRE, NORM_POST } Norm; /* where the norms stand, not how they compute */
typedef enum { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED, POSITIONS_ROTARY } PositionKind;
typedef enum { ACTIVATION_RELU, ACTIVATION_GELU, ACTIVATION_SILU } Activation;

/* The names of these choices; NULL ends each list. */
extern const char *const GPT_NORMS[], *const GPT_POSITIONS[], *const GPT_ACTIVATIONS[];

typedef struct GptConfig {
    int context, layers, heads, head_size, width, hidden, vocabulary; /* T L H D C F V */
    int key_heads;          /* K, a divisor of H; H / K heads in a row share keys and values */
    Norm norm;              /* if pre-norm, there is one more norm after the last block */
    bool rms;               /* the norms take no mean and have no bias: see layernorm.h */
    double norm_epsilon;    /* of the norms */
    PositionKind positions; /* sinusoidal ones are fixed */
    double theta;           /* of rotary positions: see rotary.h */
    Activation activation;
    bool gated;  /* the feed-forward layer has a gate: see feedforward.h */
    bool untied; /* the head has a table of its own; else it uses the embedding's */
    bool no_qkv_bias;
    bool no_other_bias; /* neither attention's output nor the feed-forward layer nor the norms */
    const Pattern *patterns; /* (L, H) what each head attends to; NULL: all of them all */
} GptConfig;

/* The members of a GptConfig but for its patterns. Files, the page and whoever compares two models
 * walk this table. */
typedef struct {
    Field field; /* by the name of train's option; the limits are those of a file */
    /* What Transformers' config.json calls it in a family of models. NULL: they have no such
     * choice, or not as one field. */
    const char *names[2];
    bool in_weights;   /* the file of a gpt2's weights shows this choice */
    const char *shown; /* a choice, or a flag that is on, as it is announced; of a choice its value
                          is put in */
} GptField;

/* The families of models whose names are known: gpt2 with openai-gpt, and llama with those like
 * it. */
typedef enum { FAMILY_GPT2, FAMILY_LLAMA } GptFamily;

extern const GptField GPT_FIELDS[];
#define EACH_GPT_FIELD(entry) \
    for (const GptField *(entry) = GPT_FIELDS; (entry)->field.name; (entry)++)

/* Llama's, if all choices are those of a llama; queries, keys and values may have biases. */
GptFamily gpt_config_family(const GptConfig *config);

/* The first choice of a model that Transformers' gpt2 does not have, or NULL. If norm is NORM_POST,
 * the model is compared with openai-gpt instead. */
const GptField *gpt_config_beyond(const GptConfig *config, Norm norm);

#endif
