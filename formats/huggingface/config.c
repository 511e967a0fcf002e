/* config.c: a model's sizes and choices as the fields of the config.json of GPT-2, OpenAI-GPT,
 * Llama and Qwen2, and back. Every field that is read is checked against what the model supports,
 * and an error names the field, its value and what is supported. A field that is missing has the
 * value that Transformers would give it, except for the sizes, which must be there. */
#include "config.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <unistd.h>

#include "base/files/file.h"
#include "formats/json.h"
#include "model/gpt.h"
#include "tokenizer_json.h"
#include "weights.h"

/* The names of gelu's tanh form in gpt2 and in openai-gpt. In gpt2, "gelu" is the other form. */
static const char GELU[] = "gelu_new", OLD_GELU[] = "gelu";
static const char NAME[] = "config.json";

/* The values of model_type. Transformers has all but ours. qwen2 and mistral are read, not written:
 * they are llamas, the one with biases for queries, keys and values, the other without windows.
 * (For a qwen2 Transformers takes Qwen's own tokenizer, whatever is in tokenizer.json.) */
static const struct {
    const char *type, *architecture;
    GptFamily family;
} TYPES[] = {{"gpt2", "GPT2LMHeadModel", FAMILY_GPT2},
             {"openai-gpt", "OpenAIGPTLMHeadModel", FAMILY_GPT2},
             {"pulga", "PulgaLMHeadModel", FAMILY_GPT2},
             {"llama", "LlamaForCausalLM", FAMILY_LLAMA},
             {"qwen2", "Qwen2ForCausalLM", FAMILY_LLAMA},
             {"mistral", "MistralForCausalLM", FAMILY_LLAMA}};
enum { GPT2, OPENAI_GPT, PULGA, LLAMA, QWEN2, MISTRAL, TYPE_COUNT };

/* ---- Fields ---- */

/* A size or another number, under the name that Transformers gives it in a family; NULL: it has
 * none. */
static const char *name_of_number(const GptField *f, GptFamily family)
{
    return f->field.kind == FIELD_WHOLE || f->field.kind == FIELD_NUMBER ? f->names[family] : NULL;
}

static Field named(const GptField *f, GptFamily family)
{
    Field field = f->field;
    field.name = f->names[family];
    return field;
}

/* It has two places in a llama's file. */
#define FIELD_STRUCT GptConfig
static const Field THETA = {"rope_theta", LIFE_RUN, NUMBER_FIELD(theta, NULL, NULL, 1, 1e12), NULL};
#undef FIELD_STRUCT

/* What "pulga" says beside the fields of the model that Transformers has no names for. */
#define FIELD_STRUCT Config
static const Field PURPOSE[] = {
    {"objective", LIFE_RUN, CHOICE_FIELD(objective, OBJECTIVE_NAMES, NULL), NULL},
    {"causal-source", LIFE_RUN, FLAG_FIELD(causal_source), NULL},
    {.name = NULL},
};

/* ---- Writing ---- */

/* The first of Transformers' models that is the same as this one. gpt2 is pre-norm; openai-gpt is
 * post-norm, and its feed-forward layer is always four times as wide as the model. None supports
 * patterns or tokens that attend to later ones, and neither of these two heads whose widths do not
 * add up to the model's. */
static int model_type(const GptConfig *shape, bool sees_ahead)
{
    if (sees_ahead || shape->patterns)
        return PULGA;
    if (gpt_config_family(shape) == FAMILY_LLAMA)
        return LLAMA;
    const bool own = shape->heads * shape->head_size != shape->width;
    if (!own && !gpt_config_beyond(shape, NORM_PRE))
        return GPT2;
    if (!own && !gpt_config_beyond(shape, NORM_POST) && shape->hidden == 4 * shape->width)
        return OPENAI_GPT;
    return PULGA;
}

/* What Transformers calls it. */
static const char *activation_name(Activation activation, bool is_openai)
{
    switch (activation) {
    case ACTIVATION_RELU: return "relu";
    case ACTIVATION_GELU: return is_openai ? OLD_GELU : GELU;
    case ACTIVATION_SILU: return "silu";
    }
    return NULL;
}

/* If there is none, null: if it were missing, Transformers would take GPT-2's 50256. */
static void put_id(cJSON *json, const char *name, int id)
{
    cJSON_AddItemToObject(json, name, id < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(id));
}

static void put_own(cJSON *json, GptFamily family, const GptConfig *shape, const Config *purpose)
{
    cJSON *own = cJSON_AddObjectToObject(json, "pulga");
    EACH_GPT_FIELD (f)
        if (!f->names[family])
            json_put_field(own, &f->field, shape);
    EACH_FIELD (field, PURPOSE)
        json_put_field(own, field, purpose);
    char *list =
        shape->patterns ? patterns_list(shape->patterns, shape->layers * shape->heads) : NULL;
    cJSON_AddItemToObject(own, "attend", list ? cJSON_CreateString(list) : cJSON_CreateNull());
    free(list);
}

/* The fields that only the models of one family have. */
static void put_rest_of_gpt2(cJSON *json, const GptConfig *shape, double dropout)
{
    cJSON_AddNumberToObject(json, "n_ctx", shape->context);
    cJSON_AddNumberToObject(json, "resid_pdrop", dropout);
    cJSON_AddNumberToObject(json, "embd_pdrop", dropout);
    cJSON_AddNumberToObject(json, "attn_pdrop", dropout);
    cJSON_AddTrueToObject(json, "scale_attn_weights");
}

static void put_rest_of_llama(cJSON *json, const GptConfig *shape, double dropout)
{
    cJSON *rope = cJSON_AddObjectToObject(json, "rope_parameters");
    cJSON_AddStringToObject(rope, "rope_type", "default");
    cJSON_AddNumberToObject(json, "attention_dropout", dropout);
    cJSON_AddBoolToObject(json, "attention_bias", !shape->no_qkv_bias);
    cJSON_AddFalseToObject(json, "mlp_bias");
}

void config_put_numbers(cJSON *json, const GptConfig *shape)
{
    /* of the file, not of the shape: a llama with patterns is a pulga */
    const GptFamily family = json_get(json, "rope_parameters") ? FAMILY_LLAMA : FAMILY_GPT2;
    EACH_GPT_FIELD (f)
        if (f->field.kind == FIELD_NUMBER && f->names[family]) {
            const Field field = named(f, family);
            json_put_field(json, &field, shape);
        }
    /* Transformers 5 reads rope_parameters, others rope_theta. */
    if (family == FAMILY_LLAMA) {
        json_put_field(json, &THETA, shape);
        json_put_field(json_get(json, "rope_parameters"), &THETA, shape);
    }
}

void config_put_model(cJSON *json, const GptConfig *shape, double dropout,
                      const Tokenizer *tokenizer, bool causal_source)
{
    const bool sees_ahead = (tokenizer->objective == OBJECTIVE_PAIRS && !causal_source) ||
                            tokenizer->objective == OBJECTIVE_MASKED;
    const int type = model_type(shape, sees_ahead);
    const GptFamily family = TYPES[type].family;
    cJSON_AddStringToObject(json, "model_type", TYPES[type].type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "architectures"),
                         cJSON_CreateString(TYPES[type].architecture));
    cJSON_AddStringToObject(json,
                            type == OPENAI_GPT       ? "afn"
                            : family == FAMILY_LLAMA ? "hidden_act"
                                                     : "activation_function",
                            activation_name(shape->activation, type == OPENAI_GPT));
    EACH_GPT_FIELD (f)
        if (f->field.kind == FIELD_WHOLE && f->names[family]) {
            const Field field = named(f, family);
            json_put_field(json, &field, shape);
        }
    (family == FAMILY_LLAMA ? put_rest_of_llama : put_rest_of_gpt2)(json, shape, dropout);
    config_put_numbers(json, shape);
    cJSON_AddNumberToObject(json, "initializer_range", 0.02);
    put_id(json, "bos_token_id", tokenizer->bos);
    put_id(json, "eos_token_id", tokenizer->eos);
    if (tokenizer->eos >= 0)
        cJSON_AddNumberToObject(json, "pad_token_id", tokenizer->eos);
    cJSON_AddBoolToObject(json, "tie_word_embeddings", !shape->untied);
    cJSON_AddStringToObject(json, "torch_dtype", sizeof(Real) == 4 ? "float32" : "float64");
    put_own(json, family, shape,
            &(Config){.objective = tokenizer->objective, .causal_source = causal_source});
}

/* ---- Reading ---- */

/* A config.json while it is being read. */
typedef struct {
    const char *path;        /* for messages */
    const cJSON *json, *own; /* all of it; its object "pulga", or NULL */
} Reading;

/* Dies naming a field outside of "pulga", its value, and what is supported. */
static _Noreturn void refuse(const Reading *file, const char *name, const char *supported)
{
    json_refuse(file->path, name, json_get(file->json, name), supported);
}

/* A field that is true or false, or `preset` if it is missing; null is Python's None, which is
 * false. */
static bool is_true(const Reading *file, const char *name, bool preset)
{
    const cJSON *field = json_get(file->json, name);
    if (field && !cJSON_IsNull(field) && !cJSON_IsBool(field))
        refuse(file, name, "true or false");
    return field ? cJSON_IsTrue(field) : preset;
}

/* Dies if one of these fields is not as it must be: the file describes a variant that is not
 * supported. */
typedef struct {
    const char *name;
    bool supported;
} Switch;

static void check_switches(const Reading *file, const Switch *switches, int count)
{
    for (int i = 0; i < count; i++)
        if (is_true(file, switches[i].name, switches[i].supported) != switches[i].supported)
            refuse(file, switches[i].name, switches[i].supported ? "true" : "false");
}

/* The activation; dies if it is neither relu nor the tanh form of gelu nor silu. */
static Activation read_activation(const Reading *file, bool is_openai)
{
    const char *name = is_openai ? "afn" : "activation_function";
    const cJSON *field = json_get(file->json, name);
    const char *value = field ? cJSON_GetStringValue(field) : is_openai ? OLD_GELU : GELU;
    if (value && !strcmp(value, "relu"))
        return ACTIVATION_RELU;
    if (value && !strcmp(value, "silu"))
        return ACTIVATION_SILU;
    if (!value || (strcmp(value, is_openai ? OLD_GELU : GELU) &&
                   (is_openai || strcmp(value, "gelu_pytorch_tanh"))))
        refuse(file, name,
               is_openai ? "\"gelu\", \"relu\" or \"silu\""
                         : "\"gelu_new\", \"gelu_pytorch_tanh\", \"relu\" or \"silu\"");
    return ACTIVATION_GELU;
}

/* The list of patterns of a model_type "pulga", as --attend gives it; null: all. */
static Pattern *read_patterns(const Reading *file, int layers, int heads)
{
    const cJSON *attend = json_get(file->own, "attend");
    const char *list = cJSON_GetStringValue(attend);
    Pattern *patterns = NULL;
    const int count = list ? patterns_parse(&patterns, list, layers, heads) : cJSON_IsNull(attend);
    if (count < 1 || count > layers * heads)
        json_refuse(file->path, "attend", attend,
                    "null, or a list of at most one pattern for each head, as --attend has it");
    return patterns;
}

/* A choice that runs of before do not name: they have GPT-2's. */
static bool is_later(const GptField *f)
{
    const size_t at = f->field.offset;
    return at == offsetof(GptConfig, key_heads) || at == offsetof(GptConfig, theta) ||
           at == offsetof(GptConfig, rms) || at == offsetof(GptConfig, gated) ||
           at == offsetof(GptConfig, no_other_bias);
}

/* The fields of gpt2, openai-gpt and pulga, then the differences between them:
 *
 *                  gpt2                     openai-gpt         pulga
 *     norm         pre                      post               "norm"
 *     hidden       n_inner, or 4 * n_embd   4 * n_embd         n_inner, or 4 * n_embd
 *     head size    n_embd / n_head          n_embd / n_head    "head-size"
 *     patterns     all                      all                "attend" */
static GptConfig read_gpt2(const Reading *file, int type)
{
    const bool is_pulga = type == PULGA, is_openai = type == OPENAI_GPT;
    const cJSON *inner = json_get(file->json, "n_inner");
    const bool wide = is_openai || !inner || cJSON_IsNull(inner);
    GptConfig shape = {.norm = is_openai ? NORM_POST : NORM_PRE,
                       .norm_epsilon = 1e-5,
                       .positions = POSITIONS_LEARNED,
                       .theta = 1e4,
                       .activation = read_activation(file, is_openai),
                       .untied = !is_true(file, "tie_word_embeddings", true)};
    static const Switch switches[] = {{"scale_attn_weights", true},
                                      {"scale_attn_by_inverse_layer_idx", false},
                                      {"add_cross_attention", false}};
    check_switches(file, switches, sizeof switches / sizeof *switches);
    if (is_pulga && !file->own)
        refuse(file, "pulga", "the object that train writes");
    EACH_GPT_FIELD (f) {
        const Field field = named(f, FAMILY_GPT2);
        const bool number = name_of_number(f, FAMILY_GPT2) &&
                            !(wide && f->field.offset == offsetof(GptConfig, hidden));
        if (number && (f->field.kind == FIELD_WHOLE || json_get(file->json, field.name)))
            json_get_field(file->json, &field, &shape, file->path);
        else if (!f->names[FAMILY_GPT2] && file->own && (is_pulga || f->in_weights) &&
                 !(is_later(f) && !json_get(file->own, f->field.name)))
            json_get_field(file->own, &f->field, &shape, file->path);
    }
    assert(shape.heads > 0); /* all sizes are at least 1 */
    if (wide)
        shape.hidden = 4 * shape.width;
    if (!shape.key_heads)
        shape.key_heads = shape.heads;
    if (is_pulga && shape.heads % shape.key_heads)
        json_refuse(file->path, "key-heads", json_get(file->own, "key-heads"),
                    "a number that divides n_head");
    if (is_pulga && shape.positions == POSITIONS_ROTARY && shape.head_size % 2)
        json_refuse(file->path, "head-size", json_get(file->own, "head-size"),
                    "an even number, as rotary positions need it");
    if (is_pulga) {
        shape.patterns = read_patterns(file, shape.layers, shape.heads);
        return shape;
    }
    if (shape.width % shape.heads)
        refuse(file, "n_head", "a number that divides n_embd");
    shape.head_size = shape.width / shape.heads;
    return shape;
}

/* Dies if positions are not plain rotary ones, as the object `name` says. */
static void check_rope(const Reading *file, const char *name)
{
    const cJSON *rope = json_get(file->json, name);
    const char *kind = json_text(rope, "rope_type");
    kind = kind ? kind : json_text(rope, "type");
    if (cJSON_IsObject(rope) && kind && strcmp(kind, "default") != 0)
        refuse(file, name, "null, or the rope_type \"default\"");
}

/* Dies if a layer attends to less than all. */
static void check_windows(const Reading *file, int type)
{
    static const Switch switches[] = {{"mlp_bias", false}, {"use_sliding_window", false}};
    check_switches(file, switches, sizeof switches / sizeof *switches);
    if (type == MISTRAL && cJSON_IsNumber(json_get(file->json, "sliding_window")))
        refuse(file, "sliding_window", "null");
    const cJSON *kinds = json_get(file->json, "layer_types"), *kind;
    cJSON_ArrayForEach(kind, kinds)
    {
        if (!cJSON_IsString(kind) || strcmp(kind->valuestring, "full_attention") != 0)
            refuse(file, "layer_types", "\"full_attention\" for each layer");
    }
}

/* The fields of llama and of those like it. */
static GptConfig read_llama(const Reading *file, int type)
{
    GptConfig shape = {.norm = NORM_PRE,
                       .rms = true,
                       .norm_epsilon = 1e-6,
                       .positions = POSITIONS_ROTARY,
                       .theta = 1e4,
                       .activation = ACTIVATION_SILU,
                       .gated = true,
                       .untied = !is_true(file, "tie_word_embeddings", false),
                       .no_qkv_bias = !is_true(file, "attention_bias", type == QWEN2),
                       .no_other_bias = true};
    const char *activation = json_text(file->json, "hidden_act");
    if (!activation || strcmp(activation, "silu") != 0)
        refuse(file, "hidden_act", "\"silu\"");
    check_rope(file, "rope_scaling");
    check_rope(file, "rope_parameters");
    check_windows(file, type);
    EACH_GPT_FIELD (f) {
        const Field field = named(f, FAMILY_LLAMA);
        const bool number = name_of_number(f, FAMILY_LLAMA);
        const cJSON *value = number ? json_get(file->json, field.name) : NULL;
        const bool may_lack = f->field.offset == offsetof(GptConfig, key_heads) ||
                              f->field.offset == offsetof(GptConfig, head_size) ||
                              f->field.kind == FIELD_NUMBER;
        if (number && !(may_lack && (!value || cJSON_IsNull(value))))
            json_get_field(file->json, &field, &shape, file->path);
    }
    const cJSON *rope = json_get(file->json, "rope_parameters");
    if (json_get(rope, THETA.name) || json_get(file->json, THETA.name))
        json_get_field(json_get(rope, THETA.name) ? rope : file->json, &THETA, &shape, file->path);
    assert(shape.heads > 0); /* all sizes that must be there are at least 1 */
    if (!shape.key_heads)
        shape.key_heads = shape.heads;
    if (shape.heads % shape.key_heads)
        refuse(file, "num_key_value_heads", "a number that divides num_attention_heads");
    if (!shape.head_size && shape.width % shape.heads)
        refuse(file, "num_attention_heads", "a number that divides hidden_size");
    if (!shape.head_size)
        shape.head_size = shape.width / shape.heads;
    if (shape.head_size % 2)
        refuse(file, "head_dim", "an even number, as rotary positions need it");
    return shape;
}

const cJSON *config_own(const Config *config)
{
    const cJSON *own = json_get(config->json, "pulga");
    return cJSON_IsObject(own) ? own : NULL;
}

Config config_read(const Directory *directory)
{
    Bytes bytes = file_read_in(directory, NAME, true);
    Config config = {.json = json_parse(directory, NAME, bytes),
                     .checksum = checksum_of(bytes.bytes, bytes.size),
                     .objective = OBJECTIVE_NEXT,
                     .eos = -1};
    free(bytes.bytes);
    const cJSON *own = config_own(&config), *text = json_get(own, "text");
    char *path = path_in(directory, NAME);
    const Reading file = {path, config.json, own};
    const char *name = json_text(file.json, "model_type");
    int type = 0;
    while (type < TYPE_COUNT && (!name || strcmp(name, TYPES[type].type) != 0))
        type++;
    if (type == TYPE_COUNT)
        refuse(&file, "model_type",
               "\"gpt2\", \"openai-gpt\", \"llama\", \"qwen2\", \"mistral\" or \"pulga\"");
    config.shape = (TYPES[type].family == FAMILY_LLAMA ? read_llama : read_gpt2)(&file, type);
    if (own)
        EACH_FIELD (field, PURPOSE)
            json_get_field(own, field, &config, path);
    /* An id outside the vocabulary, such as GPT-2's default 50256, counts as none. */
    const cJSON *eos = json_get(file.json, "eos_token_id");
    if (cJSON_IsArray(eos)) /* the first of those that end a text */
        eos = eos->child;
    if (cJSON_IsNumber(eos) && eos->valuedouble == eos->valueint &&
        eos->valueint < config.shape.vocabulary)
        config.eos = eos->valueint;
    config.identity = json_text(own, "identity");
    config.text = json_text(text, "xxh3_64");
    free(path);
    return config;
}

void config_free(Config *config)
{
    free((Pattern *)config->shape.patterns);
    cJSON_Delete(config->json);
}

/* ---- A directory ---- */

/* Opens a model's files one after the other: config.json, the weights, the tokenizer. The sizes in
 * config.json are checked against those of the files of the weights before memory is taken for the
 * model. Nothing is locked: the run may be in training. */

/* Dies if the files are too small for all the weights that config.json describes, of two bytes or
 * more each. They are counted without taking memory for them. */
static void check_size(const SafeTensors *files, GptConfig shape)
{
    int count;
    size_t numbers, wanted = 0;
    Tensor *tensors = gpt_tensors(&shape, ROUNDING_NONE, &count, &numbers);
    for (int i = 0; i < count; i++) /* a llama's file has nothing that is not trained */
        if (tensors[i].trained || gpt_config_family(&shape) == FAMILY_GPT2)
            wanted += tensor_size(&tensors[i]);
    free(tensors);
    if (wanted > files->size / 2)
        die("%s: config.json describes %zu numbers, more than its %zu bytes can hold", files->path,
            wanted, files->size);
}

Pretrained pretrained_open(const char *path)
{
    return pretrained_open_rounded(path, ROUNDING_NONE);
}

Pretrained pretrained_open_rounded(const char *path, Rounding rounding)
{
    if (access(path, F_OK) && errno == ENOENT)
        die("%s does not exist; name a model directory, written by train or by Transformers", path);
    Pretrained model = {.directory = directory_open(path)};
    const Directory *directory = &model.directory;
    weights_file(directory); /* dies if there are none */
    model.config = config_read(directory);
    const GptConfig shape = model.config.shape;
    SafeTensors files = weights_open(directory);
    /* Files of Transformers name no run. */
    const char *run = model.config.identity, *own = safetensors_metadata(&files, "identity");
    if (own && run && strcmp(own, run) != 0)
        die("%s belongs to another run than the config.json beside it", files.path);
    check_size(&files, shape);
    model.tokenizer =
        tokenizer_json_read(directory, shape.vocabulary, model.config.eos, model.config.objective);
    system_trim(); /* of what the JSON of a large vocabulary took */
    /* A run that is overwritten loses its model, then gets its new config.json and tokenizer, and
     * at last its new model: if config.json is still the same, all that was read belongs to it. */
    const Bytes again = file_read_in(directory, NAME, true);
    if (checksum_of(again.bytes, again.size) != model.config.checksum)
        die("%s/config.json was replaced while the model was read; try again", path);
    free(again.bytes);
    if (rounding && !gpt_rounds(&shape))
        usage_error("--weights needs a model whose width, hidden width and heads of keys together "
                    "are multiples of %d, and %s has %d, %d and %d",
                    ROUNDED_GRAIN, path, shape.width, shape.hidden,
                    shape.key_heads * shape.head_size);
    model.gpt = gpt_new_rounded(&shape, shape.context, rounding);
    weights_read_model(&files, &model.gpt);
    safetensors_close(&files);
    return model;
}

void pretrained_close(Pretrained *model)
{
    gpt_free(&model->gpt);
    tokenizer_free(&model->tokenizer);
    config_free(&model->config);
    directory_close(&model->directory);
}

/* Takes out the head or layer that a list begins with. Returns what follows its name, or NULL if
 * the model has none of that name. */
static const char *take_out_first(Gpt *gpt, const char *list)
{
    const int H = gpt->config.heads;
    for (int i = 0; i < gpt->config.layers * (H + 1); i++) {
        const int layer = i / (H + 1), head = i % (H + 1);
        char name[40];
        snprintf(name, sizeof name, head < H ? "L%dH%d" : "L%d", layer + 1, head + 1);
        const char *end = list + strlen(name);
        if (!strncmp(list, name, strlen(name)) && (!*end || *end == ',')) {
            ablate(gpt, layer, head);
            return end;
        }
    }
    return NULL;
}

void pretrained_without(Pretrained *model, const char *list)
{
    const GptConfig *config = &model->gpt.config;
    for (const char *rest = list, *end; rest; rest = *end ? end + 1 : NULL) {
        end = take_out_first(&model->gpt, rest);
        if (!end)
            usage_error(
                "--without %.100s: give heads (L1H1 to L%dH%d in %s) or layers (L1 to L%d), "
                "with commas between them",
                list, config->layers, config->heads, model->directory.path, config->layers);
    }
}

bool pretrained_save(const char *path, const Gpt *gpt, const Tokenizer *tokenizer)
{
    directory_make(path);
    Directory directory = directory_open(path);
    cJSON *json = cJSON_CreateObject();
    config_put_model(json, &gpt->config, 0, tokenizer, false);
    const bool good = json_write(&directory, NAME, json) &&
                      tokenizer_json_write(&directory, tokenizer, gpt->config.context) &&
                      weights_write(&directory, gpt, gpt->weight_block, 0);
    directory_close(&directory);
    return good;
}

Objective pretrained_objective(const Pretrained *model)
{
    Objective objective = tokenizer_objective(&model->tokenizer);
    objective.causal_source = model->config.causal_source;
    return objective;
}

/* What a chat template puts before each conversation, such as "system\nYou are …": the first text
 * between the two tokens that has no quote or brace, so that it is nothing to be filled in. The
 * caller frees; NULL if there is none. */
static char *system_turn(const char *template)
{
    static const char begin[] = "<|im_start|>system", end[] = "<|im_end|>";
    for (const char *at = template; at && (at = strstr(at, begin));) {
        at += strlen(begin);
        at += *at == '\n'              ? 1
              : !strncmp(at, "\\n", 2) ? 2
                                       : 0; /* as it is, or as Jinja writes it */
        const size_t length = strcspn(at, "'\"{}<\\");
        if (length && !strncmp(at + length, end, strlen(end)))
            return format_text("system\n%.*s", (int)length, at);
    }
    return NULL;
}

bool pretrained_take_chatml(Pretrained *model)
{
    if (!tokenizer_take_chatml(&model->tokenizer))
        return false;
    model->config.objective = OBJECTIVE_TURNS;
    /* a run's text and its tokens have no turns: nothing is counted in them */
    model->config.text = model->config.identity = NULL;
    model->tokenizer.system = system_turn(model->tokenizer.template);
    return true;
}

void pretrained_check(const Pretrained *model, double number)
{
    if (!isfinite(number))
        die("%s/%s: its weights are so large that the model computes %g: it cannot be used",
            model->directory.path, weights_file(&model->directory), number);
}
