/* record.c: the object "pulga" of config.json, written and read through the table of settings.
 *
 *     "pulga": {"version": "0.1", "command": "train data/perro.txt --steps 9",
 *               "kernel": "avx512", "identity": "21de9fd719d50c5c",
 *               "text": {"name": "data/perro.txt", "size": 212, "xxh3_64": "05a12f370b3ee3c1"},
 *               "tokens": "word", "sequence": "lines", "lower": false, "min-count": 1, ...,
 *               "result": {"step": 9, "best_step": 9, "best_loss": 1.94, ...}}
 */
#include "record.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/utf8.h"
#include "base/base.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "model/matrix/matrix.h"

/* ---- The identity ---- */

/* The settings are taken as the text that config.json stores: a number has the same digits in every
 * call. The 0 after each word keeps "1", "23" apart from "12", "3". */
uint64_t record_identity(const Settings *settings, uint64_t text, const Tokenizer *tokenizer)
{
    uint64_t checksum = text;
    EACH_FIELD (field, SETTINGS) {
        if (field->life != LIFE_RUN)
            continue;
        char *word = field_text(field, settings);
        checksum = checksum_continue(checksum, word, strlen(word) + 1);
        free(word);
    }
    return tokenizer_checksum(tokenizer, checksum);
}

/* ---- Writing ---- */

/* One text has a "name", several have "names". */
static void put_text(cJSON *json, char *const *texts, CorpusOrigin origin)
{
    cJSON *names = texts[1] ? cJSON_AddArrayToObject(json, "names") : NULL;
    for (; *texts; texts++) {
        char *name = format_text("%s", *texts);
        text_sanitize(name); /* a file's name is bytes, JSON is UTF-8 */
        if (names)
            cJSON_AddItemToArray(names, cJSON_CreateString(name));
        else
            cJSON_AddStringToObject(json, "name", name);
        free(name);
    }
    cJSON_AddNumberToObject(json, "size", (double)origin.text_size);
    cJSON_AddStringToObject(json, "xxh3_64", checksum_hex(origin.text).text);
}

/* All settings of the run, also those that were read and did not change: cJSON may print a number
 * that it has read with a digit too few. */
static void put_settings(cJSON *own, const Settings *settings)
{
    EACH_FIELD (field, SETTINGS)
        if (field->life != LIFE_CALL)
            json_put_field(own, field, settings);
}

/* The sizes for Transformers come before "pulga". */
bool record_write(const Directory *directory, const Plan *plan, const Tokenizer *tokenizer,
                  char *const *texts, CorpusOrigin origin, const char *command)
{
    cJSON *json = cJSON_CreateObject();
    const Settings *s = &plan->settings;
    config_put_model(json, &plan->shape, s->dropout, tokenizer, s->causal_source);
    cJSON *own = json_get(json, "pulga");
    cJSON_AddStringToObject(own, "version", PULGA_VERSION);
    cJSON_AddStringToObject(own, "command", command);
    cJSON_AddStringToObject(own, "kernel", matrix_kernel_name());
    cJSON_AddStringToObject(own, "identity", checksum_hex(origin.run).text);
    put_text(cJSON_AddObjectToObject(own, "text"), texts, origin);
    put_settings(own, &plan->settings);
    return json_write(directory, CONFIG_FILE, json);
}

/* The file is read again, so that nothing is lost that a person has added. */
bool record_update(const Directory *directory, const Settings *settings, cJSON *result,
                   double seconds)
{
    cJSON *json = json_read(directory, CONFIG_FILE), *own = json_get(json, "pulga");
    put_settings(own, settings);
    if (result) {
        const double before = json_number(json_get(own, "result"), "seconds"); /* NAN: none */
        cJSON_AddNumberToObject(result, "seconds", seconds + fmax(before, 0));
        cJSON_DeleteItemFromObjectCaseSensitive(own, "result");
        cJSON_AddItemToObject(own, "result", result);
    }
    return json_write(directory, CONFIG_FILE, json);
}

/* ---- Reading ---- */

Config record_read(const Directory *directory)
{
    const Config config = config_read(directory);
    if (!config_own(&config) || !config.text)
        die("%s/config.json was not written by train, so the run cannot be resumed; begin a new "
            "run with --from %s",
            directory->path, directory->path);
    return config;
}

/* Settings for one call only, such as --threads, are not in config.json and stay as they are. So do
 * those that came with a later version, and change nothing of what the run is. */
void record_settings(const Config *config, const Directory *directory, Settings *settings)
{
    char *path = path_in(directory, CONFIG_FILE);
    EACH_FIELD (field, SETTINGS) {
        const bool optional =
            field->life == LIFE_MAY_CHANGE && (field->preset || field->kind == FIELD_TEXT);
        const bool there = json_get(config_own(config), field->name);
        if (field->life == LIFE_CALL || (!there && optional))
            continue;
        if (!there)
            die("%s has no \"%s\": it is damaged, and the run "
                "cannot be resumed; begin a new run with --from %s",
                path, field->name, directory->path);
        json_get_field(config_own(config), field, settings, path);
    }
    free(path);
}

void record_check_identity(const Config *config, const Directory *directory, uint64_t identity)
{
    if (!config->identity)
        die("%s/config.json has no identity, so the run cannot be resumed; begin a new run with "
            "--from %s",
            directory->path, directory->path);
    if (strcmp(config->identity, checksum_hex(identity).text) != 0)
        die("%s cannot be resumed: its config.json or tokenizer.json was changed since it was "
            "begun; change it back, or begin a new run with --from %s",
            directory->path, directory->path);
}

/* A resumed run follows the settings under "pulga". If a size above them was edited, its next model
 * would not be the one that config.json describes, and nobody could read it. All kernels for
 * float32 have the same bits. */
void record_check_plan(const Config *config, const Directory *directory, const Plan *plan)
{
    static const char *const changed =
        N_("%s/config.json: its %s was changed since the run was begun; change it back");
    EACH_GPT_FIELD (f)
        if (!field_equal(&f->field, &config->shape, &plan->shape))
            die(changed, directory->path, f->huggingface ? f->huggingface : f->field.name);
    if (!config->shape.patterns != !plan->shape.patterns)
        die(changed, directory->path, "attend");
    const char *begun = json_text(config_own(config), "kernel");
    if (plan->settings.precision != PRECISION_F32 && begun && strcmp(begun, matrix_kernel_name()))
        warn("%s was begun with the kernel %s, this is %s: it goes on, but not to the same bits",
             directory->path, begun, matrix_kernel_name());
}
