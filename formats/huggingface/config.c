/* config.c: see config.h. */
#include "config.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json.h"
#include "formats/json_fields.h"
#include "training/settings.h"

/* The tanh form of gelu, by the name that gpt2 has for it and by the one that openai-gpt has: there
 * "gelu" is that form, in gpt2 it is another one. */
static const char GELU[] = "gelu_new", OLD_GELU[] = "gelu";
static const double EPSILON = 1e-5; /* of every layer norm */

/* ---- Writing ---- */

static const char *model_type(const GptConfig *shape)
{
    const bool plain = !shape->patterns && shape->heads * shape->head_size == shape->width;
    if (plain && !shape->post_norm)
        return "gpt2";
    if (plain && shape->hidden == 4 * shape->width)
        return "openai-gpt";
    return "pulga";
}

static void put_architecture(cJSON *json, const GptConfig *shape)
{
    const char *type = model_type(shape);
    const bool old = !strcmp(type, "openai-gpt");
    const char *class = old                     ? "OpenAIGPTLMHeadModel"
                        : !strcmp(type, "gpt2") ? "GPT2LMHeadModel"
                                                : "PulgaLMHeadModel";
    cJSON_AddStringToObject(json, "model_type", type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "architectures"), cJSON_CreateString(class));
    cJSON_AddStringToObject(json, old ? "afn" : "activation_function",
                            !shape->gelu ? "relu"
                            : old        ? OLD_GELU
                                         : GELU);
}

void config_put_model(cJSON *json, const GptConfig *shape, double dropout,
                      const Vocabulary *vocabulary)
{
    put_architecture(json, shape);
    cJSON_AddNumberToObject(json, "vocab_size", shape->vocabulary);
    cJSON_AddNumberToObject(json, "n_positions", shape->context);
    cJSON_AddNumberToObject(json, "n_ctx", shape->context);
    cJSON_AddNumberToObject(json, "n_embd", shape->width);
    cJSON_AddNumberToObject(json, "n_layer", shape->layers);
    cJSON_AddNumberToObject(json, "n_head", shape->heads);
    cJSON_AddNumberToObject(json, "n_inner", shape->hidden);
    cJSON_AddNumberToObject(json, "resid_pdrop", dropout);
    cJSON_AddNumberToObject(json, "embd_pdrop", dropout);
    cJSON_AddNumberToObject(json, "attn_pdrop", dropout);
    cJSON_AddNumberToObject(json, "layer_norm_epsilon", EPSILON);
    cJSON_AddNumberToObject(json, "initializer_range", 0.02);
    cJSON_AddTrueToObject(json, "scale_attn_weights");
    if (vocabulary->bos >= 0) {
        cJSON_AddNumberToObject(json, "bos_token_id", vocabulary->bos);
        cJSON_AddNumberToObject(json, "eos_token_id", vocabulary->eos);
        cJSON_AddNumberToObject(json, "pad_token_id", vocabulary->eos);
    } else { /* GPT-2's own defaults lie outside a small vocabulary */
        cJSON_AddNullToObject(json, "bos_token_id");
        cJSON_AddNullToObject(json, "eos_token_id");
    }
    cJSON_AddBoolToObject(json, "tie_word_embeddings", !shape->untied);
    cJSON_AddStringToObject(json, "torch_dtype", sizeof(Real) == 4 ? "float32" : "float64");
}

/* ---- Reading ---- */

typedef struct {
    const char *directory;
    const cJSON *json;
} Source;

static const cJSON *field_of(const Source *source, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(source->json, name);
}

/* Dies naming a field, what it says, and what could be read. */
static _Noreturn void refuse(const Source *source, const char *name, const char *supported)
{
    const cJSON *field = field_of(source, name);
    char *value = field ? cJSON_PrintUnformatted(field) : format_text("missing");
    die("%s/config.json: %s is %.60s; supported is %s", source->directory, name,
        value ? value : "?", supported);
}

/* A size, within the limits of our setting for it. */
static int size_of(const Source *source, const char *name, double max)
{
    const cJSON *field = field_of(source, name);
    const double size = cJSON_IsNumber(field) ? field->valuedouble : 0;
    if (!(size >= 1 && size <= max && size == (double)(int)size)) {
        char *supported = format_text("a whole number from 1 to %.0f", max);
        refuse(source, name, supported);
    }
    return (int)size;
}

static bool says(const Source *source, const char *name, bool preset)
{
    const cJSON *field = field_of(source, name);
    if (field && !cJSON_IsNull(field) && !cJSON_IsBool(field))
        refuse(source, name, "true or false");
    return field ? cJSON_IsTrue(field) : preset; /* null is Python's None, which is false */
}

static void check_the_rest(const Source *source)
{
    const cJSON *epsilon = field_of(source, "layer_norm_epsilon");
    if (epsilon && !(cJSON_IsNumber(epsilon) && epsilon->valuedouble == EPSILON))
        refuse(source, "layer_norm_epsilon", "1e-05");
    if (!says(source, "scale_attn_weights", true))
        refuse(source, "scale_attn_weights", "true");
    if (says(source, "scale_attn_by_inverse_layer_idx", false))
        refuse(source, "scale_attn_by_inverse_layer_idx", "false");
    if (says(source, "add_cross_attention", false))
        refuse(source, "add_cross_attention", "false");
}

static bool is_gelu(const Source *source, bool old)
{
    const char *name = old ? "afn" : "activation_function";
    const cJSON *field = field_of(source, name);
    const char *value = field ? cJSON_GetStringValue(field) : old ? OLD_GELU : GELU;
    if (value && !strcmp(value, "relu"))
        return false;
    if (!value ||
        (strcmp(value, old ? OLD_GELU : GELU) && (old || strcmp(value, "gelu_pytorch_tanh"))))
        refuse(source, name,
               old ? "\"gelu\" or \"relu\"" : "\"gelu_new\", \"gelu_pytorch_tanh\" or \"relu\"");
    return true;
}

/* Reads some of our own settings; dies if one is not as it should be. */
static void read_own(const Source *source, const cJSON *pulga, Settings *settings,
                     const size_t *offsets, int count)
{
    char *path = format_text("%s/config.json", source->directory);
    for (int i = 0; i < count; i++)
        json_get_field(pulga, field_at(SETTINGS, offsets[i]), settings, path);
    free(path);
}

/* What makes no difference to those who only use the model, but to those who train it. */
static void read_trained(const Source *source, const cJSON *pulga, GptConfig *shape)
{
    static const size_t offsets[] = {offsetof(Settings, positions),
                                     offsetof(Settings, no_qkv_bias)};
    Settings settings = {0};
    read_own(source, pulga, &settings, offsets, 2);
    shape->learned_positions = settings.positions == POSITIONS_LEARNED;
    shape->no_qkv_bias = settings.no_qkv_bias;
}

/* What only a model_type of our own says. */
static void read_free_shape(const Source *source, const cJSON *pulga, GptConfig *shape)
{
    static const size_t offsets[] = {offsetof(Settings, norm), offsetof(Settings, head_size),
                                     offsetof(Settings, window)};
    Settings settings = {0};
    read_own(source, pulga, &settings, offsets, 3);
    shape->post_norm = settings.norm == NORM_POST;
    shape->head_size = settings.head_size;
    if ((int64_t)shape->heads * shape->head_size > INT_MAX / 4)
        die("%s/config.json: %d heads of %d are too wide", source->directory, shape->heads,
            shape->head_size);
    if (settings.window.count > shape->layers * shape->heads)
        die("%s/config.json: window has more numbers than the model has heads", source->directory);
    shape->patterns = patterns_of(&settings.window, shape->layers, shape->heads);
    fields_free(SETTINGS, &settings);
}

static GptConfig read_shape(const Source *source, const char *type)
{
    const bool own = !strcmp(type, "pulga"), old = !strcmp(type, "openai-gpt");
    GptConfig shape = {.context = size_of(source, "n_positions", SETTING(context)->max),
                       .layers = size_of(source, "n_layer", SETTING(layers)->max),
                       .heads = size_of(source, "n_head", SETTING(heads)->max),
                       .width = size_of(source, "n_embd", SETTING(width)->max),
                       .vocabulary = size_of(source, "vocab_size", INT_MAX / 4),
                       .post_norm = old,
                       .learned_positions = true,
                       .gelu = is_gelu(source, old),
                       .untied = !says(source, "tie_word_embeddings", true)};
    const cJSON *inner = field_of(source, "n_inner");
    shape.hidden = old || !inner || cJSON_IsNull(inner)
                       ? 4 * shape.width
                       : size_of(source, "n_inner", SETTING(hidden)->max);
    const cJSON *pulga = field_of(source, "pulga");
    if (own && !cJSON_IsObject(pulga))
        refuse(source, "pulga", "the object that train writes");
    if (cJSON_IsObject(pulga))
        read_trained(source, pulga, &shape);
    if (own)
        read_free_shape(source, pulga, &shape);
    else if (shape.width % shape.heads)
        refuse(source, "n_head", "what divides n_embd");
    else
        shape.head_size = shape.width / shape.heads;
    return shape;
}

Config config_read(const char *directory)
{
    cJSON *json = json_read(directory, "config.json");
    const Source source = {directory, json};
    const char *type = cJSON_GetStringValue(field_of(&source, "model_type"));
    if (!type || (strcmp(type, "gpt2") && strcmp(type, "openai-gpt") && strcmp(type, "pulga")))
        refuse(&source, "model_type", "\"gpt2\", \"openai-gpt\" or \"pulga\"");
    check_the_rest(&source);
    Config config = {.shape = read_shape(&source, type), .eos = -1};
    const cJSON *eos = field_of(&source, "eos_token_id");
    if (cJSON_IsNumber(eos) && eos->valuedouble == eos->valueint && eos->valueint >= 0 &&
        eos->valueint < config.shape.vocabulary)
        config.eos = eos->valueint; /* GPT-2's own default lies outside a small vocabulary */
    cJSON_Delete(json);
    return config;
}
