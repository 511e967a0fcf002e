/* config.c: a model's sizes and choices as the fields of GPT-2's and OpenAI-GPT's config.json, and
 * back. Every field that is read is checked against what the model supports, and an error names the
 * field, its value and what is supported. */
#include "config.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "formats/json.h"

/* The tanh form of gelu, by the name that gpt2 has for it and by the one that openai-gpt has: there
 * "gelu" is that form, in gpt2 it is another one. */
static const char GELU[] = "gelu_new", OLD_GELU[] = "gelu";
static const char NAME[] = "config.json";
static const double EPSILON = 1e-5; /* of every layer norm */

/* ---- Writing ---- */

/* The first of Transformers' models that is the same as this one. gpt2 is pre-norm; openai-gpt is
 * post-norm, and its feed-forward layer is always four times as wide as the model. Neither knows
 * windows, or heads whose widths do not add up to the model's. */
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
    const bool is_openai = !strcmp(type, "openai-gpt");
    const char *class = is_openai               ? "OpenAIGPTLMHeadModel"
                        : !strcmp(type, "gpt2") ? "GPT2LMHeadModel"
                                                : "PulgaLMHeadModel";
    cJSON_AddStringToObject(json, "model_type", type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "architectures"), cJSON_CreateString(class));
    cJSON_AddStringToObject(json, is_openai ? "afn" : "activation_function",
                            !shape->gelu ? "relu"
                            : is_openai  ? OLD_GELU
                                         : GELU);
}

void config_put_model(cJSON *json, const GptConfig *shape, double dropout,
                      const Tokenizer *tokenizer)
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
    if (tokenizer->bos >= 0) {
        cJSON_AddNumberToObject(json, "bos_token_id", tokenizer->bos);
        cJSON_AddNumberToObject(json, "eos_token_id", tokenizer->eos);
        cJSON_AddNumberToObject(json, "pad_token_id", tokenizer->eos);
    } else { /* GPT-2's own defaults lie outside a small vocabulary */
        cJSON_AddNullToObject(json, "bos_token_id");
        cJSON_AddNullToObject(json, "eos_token_id");
    }
    cJSON_AddBoolToObject(json, "tie_word_embeddings", !shape->untied);
    cJSON_AddStringToObject(json, "torch_dtype", sizeof(Real) == 4 ? "float32" : "float64");
}

/* ---- Reading ---- */

/* A config.json while it is being read. */
typedef struct {
    const char *directory; /* for messages */
    const cJSON *json, *own;
} Reading;

static const cJSON *field_of(const Reading *file, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(file->json, name);
}

/* Dies naming a field of an object, its value, and what could be read. */
static _Noreturn void refuse(const Reading *file, const cJSON *object, const char *name,
                             const char *supported)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    char *value = field ? cJSON_PrintUnformatted(field) : format_text("missing");
    die("%s/config.json: %s is %.60s; supported is %s", file->directory, name, value, supported);
}

/* A size from 1 to `most` of an object. */
static int read_size(const Reading *file, const cJSON *object, const char *name, int most)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    const double size = cJSON_IsNumber(field) ? field->valuedouble : 0;
    if (!(size >= 1 && size <= most && size == (double)(int)size)) {
        char *supported = format_text("a whole number from 1 to %d", most);
        refuse(file, object, name, supported);
    }
    return (int)size;
}

/* A field that is true or false; null is Python's None, which is false. */
static bool is_true(const Reading *file, const cJSON *object, const char *name, bool preset)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(object, name);
    if (field && !cJSON_IsNull(field) && !cJSON_IsBool(field))
        refuse(file, object, name, "true or false");
    return field ? cJSON_IsTrue(field) : preset;
}

/* Whether a field of "pulga" is the second of two words; dies if it is neither. */
static bool is_second_word(const Reading *file, const char *name, const char *first,
                           const char *second)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file->own, name));
    if (!value || (strcmp(value, first) != 0 && strcmp(value, second) != 0)) {
        char *supported = format_text("\"%s\" or \"%s\"", first, second);
        refuse(file, file->own, name, supported);
    }
    return !strcmp(value, second);
}

/* What other models have and this one does not. */
static void check_the_rest(const Reading *file)
{
    static const struct {
        const char *name;
        bool supported;
    } fields[] = {{"scale_attn_weights", true},
                  {"scale_attn_by_inverse_layer_idx", false},
                  {"add_cross_attention", false}};
    const cJSON *epsilon = field_of(file, "layer_norm_epsilon");
    if (epsilon && !(cJSON_IsNumber(epsilon) && epsilon->valuedouble == EPSILON))
        refuse(file, file->json, "layer_norm_epsilon", "1e-05");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (is_true(file, file->json, fields[i].name, fields[i].supported) != fields[i].supported)
            refuse(file, file->json, fields[i].name, fields[i].supported ? "true" : "false");
}

/* The activation; dies if it is neither relu nor the tanh form of gelu. */
static bool is_gelu(const Reading *file, bool is_openai)
{
    const char *name = is_openai ? "afn" : "activation_function";
    const cJSON *field = field_of(file, name);
    const char *value = field ? cJSON_GetStringValue(field) : is_openai ? OLD_GELU : GELU;
    if (value && !strcmp(value, "relu"))
        return false;
    if (!value || (strcmp(value, is_openai ? OLD_GELU : GELU) &&
                   (is_openai || strcmp(value, "gelu_pytorch_tanh"))))
        refuse(file, file->json, name,
               is_openai ? "\"gelu\" or \"relu\""
                         : "\"gelu_new\", \"gelu_pytorch_tanh\" or \"relu\"");
    return true;
}

/* The patterns (L, H) of "window", a list as --window gives it; NULL if all are causal. */
static Pattern *read_patterns(const Reading *file, int layers, int heads)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(file->own, "window"), *item;
    const int count = cJSON_GetArraySize(list);
    if (cJSON_IsNull(list))
        return NULL;
    if (!cJSON_IsArray(list) || !count || count > layers * heads)
        refuse(file, file->own, "window", "null, or a list of at most one number for each head");
    int *windows = memory_new((size_t)count, sizeof *windows, "the windows"), i = 0;
    cJSON_ArrayForEach(item, list)
    {
        const double tokens = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(tokens >= 0 && tokens <= INT_MAX && tokens == (double)(int)tokens))
            refuse(file, file->own, "window", "a list of whole numbers");
        windows[i++] = (int)tokens;
    }
    Pattern *patterns = patterns_of_windows(windows, count, layers, heads);
    free(windows);
    return patterns;
}

/* The fields of all three model types, then the differences between them. */
static GptConfig read_shape(const Reading *file, const char *type)
{
    const bool is_pulga = !strcmp(type, "pulga"), is_openai = !strcmp(type, "openai-gpt");
    const cJSON *json = file->json, *inner = field_of(file, "n_inner");
    GptConfig shape = {.context = read_size(file, json, "n_positions", GPT_MAX_CONTEXT),
                       .layers = read_size(file, json, "n_layer", GPT_MAX_LAYERS),
                       .heads = read_size(file, json, "n_head", GPT_MAX_HEADS),
                       .width = read_size(file, json, "n_embd", GPT_MAX_WIDTH),
                       .vocabulary = read_size(file, json, "vocab_size", INT_MAX / 4),
                       .post_norm = is_openai,
                       .learned_positions = true,
                       .gelu = is_gelu(file, is_openai),
                       .untied = !is_true(file, json, "tie_word_embeddings", true)};
    shape.hidden = is_openai || !inner || cJSON_IsNull(inner)
                       ? 4 * shape.width
                       : read_size(file, json, "n_inner", GPT_MAX_HIDDEN);
    if (file->own) { /* differences that matter to training only */
        shape.learned_positions = is_second_word(file, "positions", "sinusoidal", "learned");
        shape.no_qkv_bias = is_true(file, file->own, "no-qkv-bias", false);
    }
    if (is_pulga && !file->own)
        refuse(file, json, "pulga", "the object that train writes");
    if (is_pulga) {
        shape.post_norm = is_second_word(file, "norm", "pre", "post");
        shape.head_size = read_size(file, file->own, "head-size", GPT_MAX_WIDTH);
        shape.patterns = read_patterns(file, shape.layers, shape.heads);
    } else if (shape.width % shape.heads) {
        refuse(file, json, "n_head", "a number that divides n_embd");
    } else {
        shape.head_size = shape.width / shape.heads;
    }
    return shape;
}

const cJSON *config_own(const Config *config)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(config->json, "pulga");
    return cJSON_IsObject(own) ? own : NULL;
}

Config config_read(const Directory *directory)
{
    Bytes bytes = file_read_in(directory, NAME, true);
    Config config = {.json = json_parse(directory, NAME, bytes),
                     .checksum = checksum_of(bytes.bytes, bytes.size),
                     .eos = -1};
    free(bytes.bytes);
    const cJSON *own = config_own(&config), *text = cJSON_GetObjectItemCaseSensitive(own, "text");
    const Reading file = {directory->path, config.json, own};
    const char *type = cJSON_GetStringValue(field_of(&file, "model_type"));
    if (!type || (strcmp(type, "gpt2") && strcmp(type, "openai-gpt") && strcmp(type, "pulga")))
        refuse(&file, file.json, "model_type", "\"gpt2\", \"openai-gpt\" or \"pulga\"");
    check_the_rest(&file);
    config.shape = read_shape(&file, type);
    const cJSON *eos = field_of(&file, "eos_token_id");
    if (cJSON_IsNumber(eos) && eos->valuedouble == eos->valueint && eos->valueint >= 0 &&
        eos->valueint < config.shape.vocabulary)
        config.eos = eos->valueint; /* GPT-2's own default lies outside a small vocabulary */
    config.identity = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(own, "identity"));
    config.text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(text, "xxh3_64"));
    return config;
}

bool config_is_unchanged(const Config *config, const Directory *directory)
{
    Bytes file = file_read_in(directory, NAME, true);
    const bool same = checksum_of(file.bytes, file.size) == config->checksum;
    free(file.bytes);
    return same;
}

void config_free(Config *config)
{
    free((Pattern *)config->shape.patterns);
    cJSON_Delete(config->json);
}
