/* run.c: see run.h. */
#include "run.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/matrix/matrix.h"
#include "../version.h"
#include "json.h"
#include "safetensors.h"
#include "tokenizer.h"

enum { LARGEST_COPY = 16 << 20 }; /* bytes of a text that a run keeps a copy of */

static char *inside(const char *directory, const char *name)
{
    return saying("%s/%s", directory, name);
}

static bool has(const char *directory, const char *name)
{
    char *path = inside(directory, name);
    const bool there = file_exists(path);
    free(path);
    return there;
}

/* ---- Choosing a directory ---- */

static bool is_run(const char *directory)
{
    return has(directory, "config.json") || has(directory, "state.safetensors") ||
           has(directory, "model.safetensors");
}

/* An overwritten run goes state first: what is left of it never looks like a run to resume. */
static void clear_run(const char *directory)
{
    static const char *const names[] = {"state.safetensors", "model.safetensors", "config.json",
                                        "tokenizer.json", "tokenizer_config.json", "text.txt",
                                        "log.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = inside(directory, names[i]);
        if (unlink(path) && errno != ENOENT)
            die("cannot overwrite %s: %s", path, strerror(errno));
        free(path);
    }
}

static char *free_directory(const char *text_path)
{
    const char *slash = strrchr(text_path, '/'), *base = slash ? slash + 1 : text_path;
    const char *dot = strrchr(base, '.');
    const int length = (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base));
    const bool standard = !strcmp(text_path, "-");
    directory_make("runs");
    for (int number = 1;; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%d", number);
        char *path = standard ? saying("runs/text%s", suffix)
                              : saying("runs/%.*s%s", length, base, suffix);
        if (!mkdir(path, 0777))
            return path;
        if (errno != EEXIST)
            die("cannot make the directory %s: %s", path, strerror(errno));
        free(path);
    }
}

char *run_directory(const Settings *settings, const char *text_path)
{
    if (!settings->out)
        return free_directory(text_path);
    if (is_run(settings->out)) {
        if (!settings->overwrite)
            die("%s holds a run already; go on with --resume %s, replace it with --overwrite, or "
                "choose another --out", settings->out, settings->out);
        clear_run(settings->out);
    } else if (has(settings->out, "text.txt") || has(settings->out, "log.csv")) {
        die("%s is no run, and has a text.txt or log.csv that would be lost; choose another --out",
            settings->out);
    }
    directory_make(settings->out);
    return saying("%s", settings->out);
}

/* ---- config.json ---- */

static bool is_plain(const Plan *plan)
{
    const Settings *s = &plan->settings;
    return !s->window && s->heads * s->head_size == s->width;
}

/* The name under which Transformers knows such a model, or our own, which it refuses. */
static const char *model_type(const Plan *plan)
{
    const Settings *s = &plan->settings;
    if (is_plain(plan) && s->norm == NORM_PRE)
        return "gpt2";
    if (is_plain(plan) && s->norm == NORM_POST && s->hidden == 4 * s->width)
        return "openai-gpt";
    return "pulga";
}

static void put_architecture(cJSON *json, const Plan *plan)
{
    const char *type = model_type(plan);
    const bool post = !strcmp(type, "openai-gpt"), gelu = plan->shape.gelu;
    const char *class = post ? "OpenAIGPTLMHeadModel"
                      : !strcmp(type, "gpt2") ? "GPT2LMHeadModel" : "PulgaLMHeadModel";
    cJSON_AddStringToObject(json, "model_type", type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "architectures"), cJSON_CreateString(class));
    if (post)
        cJSON_AddStringToObject(json, "afn", gelu ? "gelu" : "relu");
    else
        cJSON_AddStringToObject(json, "activation_function", gelu ? "gelu_new" : "relu");
}

static void put_sizes(cJSON *json, const Plan *plan, const Vocabulary *vocabulary)
{
    const GptShape *shape = &plan->shape;
    cJSON_AddNumberToObject(json, "vocab_size", shape->vocabulary);
    cJSON_AddNumberToObject(json, "n_positions", shape->context);
    cJSON_AddNumberToObject(json, "n_ctx", shape->context);
    cJSON_AddNumberToObject(json, "n_embd", shape->width);
    cJSON_AddNumberToObject(json, "n_layer", shape->layers);
    cJSON_AddNumberToObject(json, "n_head", shape->heads);
    cJSON_AddNumberToObject(json, "n_inner", shape->hidden);
    cJSON_AddNumberToObject(json, "resid_pdrop", plan->settings.dropout);
    cJSON_AddNumberToObject(json, "embd_pdrop", plan->settings.dropout);
    cJSON_AddNumberToObject(json, "attn_pdrop", plan->settings.dropout);
    cJSON_AddNumberToObject(json, "layer_norm_epsilon", 1e-5);
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

static void put_settings(cJSON *json, const Settings *settings)
{
    for (const Field *field = SETTINGS; field->name; field++)
        if (field->of_the_run)
            cJSON_AddItemToObject(json, field->name, field_to_json(field, settings));
}

static bool write_config(const char *directory, const Plan *plan, const Vocabulary *vocabulary,
                         const char *text_path, const Text *text, const char *command)
{
    cJSON *json = cJSON_CreateObject();
    put_architecture(json, plan);
    put_sizes(json, plan, vocabulary);
    cJSON *pulga = cJSON_AddObjectToObject(json, "pulga");
    cJSON_AddStringToObject(pulga, "version", PULGA_VERSION);
    cJSON_AddStringToObject(pulga, "command", command);
    cJSON_AddStringToObject(pulga, "kernel", matrix_kernel_name());
    char checksum[17];
    checksum_text(checksum, text->checksum);
    cJSON *about = cJSON_AddObjectToObject(pulga, "text");
    cJSON_AddStringToObject(about, "name", text_path);
    cJSON_AddNumberToObject(about, "size", (double)text->raw.size);
    cJSON_AddStringToObject(about, "xxh3_64", checksum);
    put_settings(pulga, &plan->settings);

    return json_write(directory, "config.json", json);
}

bool run_write_description(const char *directory, const Plan *plan, const Vocabulary *vocabulary,
                           const char *text_path, const Text *text, const char *command)
{
    const Settings *s = &plan->settings;
    return (text->raw.size > LARGEST_COPY ||
            file_replace(directory, "text.txt", text->raw.bytes, text->raw.size)) &&
           tokenizer_write(directory, vocabulary, s->lower, s->context) &&
           write_config(directory, plan, vocabulary, text_path, text, command);
}

/* config.json, parsed; dies naming what is wrong. */
static cJSON *read_config(const char *directory)
{
    char *path = inside(directory, "config.json");
    if (!file_exists(path))
        die("%s is no run: it has no config.json", directory);
    Bytes bytes = file_read(path, true);
    cJSON *json = cJSON_ParseWithLength(bytes.bytes, bytes.size);
    if (!json)
        die("%s is damaged: it is not JSON", path);
    free(bytes.bytes);
    free(path);
    return json;
}

void run_read_settings(const char *directory, Settings *settings)
{
    cJSON *json = read_config(directory);
    const cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    if (!cJSON_IsObject(pulga))
        die("%s/config.json has no settings of ours: this run was not begun by train", directory);
    for (const Field *field = SETTINGS; field->name; field++) {
        if (!field->of_the_run)
            continue;
        char *wrong = field_from_json(field, settings,
                                      cJSON_GetObjectItemCaseSensitive(pulga, field->name));
        if (wrong)
            die("%s/config.json is damaged: %s", directory, wrong);
    }
    cJSON_Delete(json);
}

bool run_write_settings(const char *directory, const Settings *settings)
{
    cJSON *json = read_config(directory);
    cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    for (const Field *field = SETTINGS; field->name; field++)
        if (field->of_the_run)
            cJSON_ReplaceItemInObjectCaseSensitive(pulga, field->name,
                                                   field_to_json(field, settings));
    return json_write(directory, "config.json", json);
}

char *run_text_path(const char *directory)
{
    char *path = inside(directory, "text.txt");
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

void run_check_text(const char *directory, const char *text_path, const Text *text)
{
    cJSON *json = read_config(directory);
    const cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    const cJSON *about = cJSON_GetObjectItemCaseSensitive(pulga, "text");
    const char *written =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(about, "xxh3_64"));
    char checksum[17];
    checksum_text(checksum, text->checksum);
    if (!written || strcmp(written, checksum))
        die("%s is not the text that %s was trained on", text_path, directory);
    cJSON_Delete(json);
}

/* ---- Weights and state ---- */

/* A tensor's name in a file: Transformers' models begin with "transformer.", and the older one
 * calls its embeddings otherwise. */
static void file_name(char *name, size_t size, const char *prefix, const Tensor *tensor,
                      bool post_norm)
{
    const bool outside = !strcmp(tensor->name, "lm_head.weight");
    const char *own = tensor->name;
    if (post_norm)
        own = !strcmp(own, "wte.weight") ? "tokens_embed.weight"
            : !strcmp(own, "wpe.weight") ? "positions_embed.weight" : own;
    snprintf(name, size, "%s%s%s", prefix, outside ? "" : "transformer.", own);
}

/* The tensors of a block of weights or moments, as entries of a file. */
static int put_block(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix)
{
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        list[i] = (NamedTensor){.rows = tensor->rows, .cols = tensor->cols,
                                .at = block + tensor->offset};
        file_name(list[i].name, sizeof list[i].name, prefix, tensor,
                  gpt->shape.post_norm);
    }
    return gpt->tensor_count;
}

static bool write_model(const char *directory, const Gpt *gpt, Real *best)
{
    NamedTensor *list = memory_new((size_t)gpt->tensor_count, sizeof *list, "a file's table");
    const int count = put_block(list, gpt, best, "");
    cJSON *metadata = cJSON_CreateObject();
    const bool good = safetensors_write(directory, "model.safetensors", list, count, metadata);
    cJSON_Delete(metadata);
    free(list);
    return good;
}

__attribute__((format(printf, 3, 4))) static void put(cJSON *json, const char *key,
                                                      const char *format, ...)
{
    char value[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    cJSON_AddStringToObject(json, key, value);
}

static bool write_state(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
                        const Progress *p)
{
    NamedTensor *list = memory_new(4 * (size_t)gpt->tensor_count, sizeof *list, "a file's table");
    int count = put_block(list, gpt, gpt->weight_block, "last.");
    count += put_block(list + count, gpt, adam->m, "adam_m.");
    count += put_block(list + count, gpt, adam->v, "adam_v.");
    if (p->best_step != p->step) /* else the best weights are the last ones */
        count += put_block(list + count, gpt, best, "best.");

    cJSON *metadata = cJSON_CreateObject();
    put(metadata, "step", "%" PRId64, p->step);
    put(metadata, "epoch", "%" PRId64, p->epoch);
    put(metadata, "next", "%zu", p->next);
    put(metadata, "best_loss", "%.17g", p->best_loss);
    put(metadata, "best_step", "%" PRId64, p->best_step);
    put(metadata, "worse", "%d", p->worse);
    put(metadata, "log_size", "%zu", p->log_size);
    const bool good = safetensors_write(directory, "state.safetensors", list, count, metadata);
    cJSON_Delete(metadata);
    free(list);
    return good;
}

bool run_save(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
              const Progress *progress)
{
    return write_model(directory, gpt, best) &&
           write_state(directory, gpt, adam, best, progress);
}

static void read_block(const SafeTensors *file, const Gpt *gpt, Real *block, const char *prefix)
{
    NamedTensor *list = memory_new((size_t)gpt->tensor_count, sizeof *list, "a file's table");
    const int count = put_block(list, gpt, block, prefix);
    for (int i = 0; i < count; i++)
        safetensors_read(file, &list[i]);
    free(list);
}

/* A number of the state's metadata; dies where it is none. */
static double number_of(const SafeTensors *file, const char *key)
{
    const char *text = safetensors_metadata(file, key);
    char *end = NULL;
    const double number = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || isnan(number) || number < 0)
        die("%s is damaged: it does not say its %s", file->path, key);
    return number;
}

/* A count among them: whole, and small enough for the type it goes into. */
static int64_t count_of(const SafeTensors *file, const char *key, double most)
{
    const double number = number_of(file, key);
    if (number > most || number != (double)(int64_t)number)
        die("%s is damaged: its %s cannot be %g", file->path, key, number);
    return (int64_t)number;
}

Progress run_read_state(const char *directory, Gpt *gpt, Adam *adam, Real *best)
{
    char *path = inside(directory, "state.safetensors");
    if (!file_exists(path))
        die("%s cannot be resumed: it has no state.safetensors", directory);
    SafeTensors file = safetensors_open(path);
    const Progress progress = {
        .step = count_of(&file, "step", INT_MAX), .epoch = count_of(&file, "epoch", INT_MAX),
        .next = (size_t)count_of(&file, "next", 0x1p53), .best_loss = number_of(&file, "best_loss"),
        .best_step = count_of(&file, "best_step", INT_MAX),
        .worse = (int)count_of(&file, "worse", INT_MAX),
        .log_size = (size_t)count_of(&file, "log_size", 0x1p53),
    };
    read_block(&file, gpt, gpt->weight_block, "last.");
    read_block(&file, gpt, adam->m, "adam_m.");
    read_block(&file, gpt, adam->v, "adam_v.");
    read_block(&file, gpt, best, progress.best_step != progress.step ? "best." : "last.");
    safetensors_close(&file);
    free(path);
    return progress;
}

void run_read_model(const char *directory, Gpt *gpt)
{
    char *path = inside(directory, "model.safetensors");
    if (!file_exists(path))
        die("%s holds no model: it has no model.safetensors", directory);
    SafeTensors file = safetensors_open(path);
    read_block(&file, gpt, gpt->weight_block, "");
    safetensors_close(&file);
    free(path);
}
