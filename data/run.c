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
#include "config.h"
#include "json.h"
#include "tokenizer.h"
#include "weights.h"

enum { LARGEST_COPY = 16 << 20 }; /* bytes of a text that a run keeps a copy of */

static char *inside(const char *directory, const char *name)
{
    return saying("%s/%s", directory, name);
}

/* ---- Choosing a directory ---- */

static bool is_run(const char *directory)
{
    return file_is_in(directory, "config.json") || file_is_in(directory, "state.safetensors") ||
           file_is_in(directory, "model.safetensors");
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
    } else if (file_is_in(settings->out, "text.txt") || file_is_in(settings->out, "log.csv")) {
        die("%s is no run, and has a text.txt or log.csv that would be lost; choose another --out",
            settings->out);
    }
    directory_make(settings->out);
    return saying("%s", settings->out);
}

/* ---- config.json ---- */

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
    config_put_model(json, &plan->shape, plan->settings.dropout, vocabulary);
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
    if (!file_is_in(directory, "config.json"))
        die("%s is no run: it has no config.json", directory);
    return json_read(directory, "config.json");
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
    if (file_exists(path)) {
        file_must_be_plain(path);
        return path;
    }
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

static bool write_model(const char *directory, const Gpt *gpt, Real *best)
{
    NamedTensor *list = memory_new((size_t)gpt->tensor_count, sizeof *list, "a file's table");
    const int count = weights_list(list, gpt, best, "");
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
    int count = weights_list(list, gpt, gpt->weight_block, "last.");
    count += weights_list(list + count, gpt, adam->m, "adam_m.");
    count += weights_list(list + count, gpt, adam->v, "adam_v.");
    if (p->best_step != p->step) /* else the best weights are the last ones */
        count += weights_list(list + count, gpt, best, "best.");

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
    weights_read(&file, gpt, gpt->weight_block, "last.");
    weights_read(&file, gpt, adam->m, "adam_m.");
    weights_read(&file, gpt, adam->v, "adam_v.");
    weights_read(&file, gpt, best, progress.best_step != progress.step ? "best." : "last.");
    safetensors_close(&file);
    free(path);
    return progress;
}
