/* run.c: see run.h. */
#include "run.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/matrix/matrix.h"
#include "base/version.h"
#include "checkpoint.h"
#include "formats/huggingface/config.h"
#include "formats/json.h"
#include "formats/json_fields.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"

enum { LARGEST_COPY = 16 << 20 }; /* bytes of a text that a run keeps a copy of */

/* The small files that are written once. */
static const char *const ONCE[] = {"tokenizer.json", "tokenizer_config.json"};
enum { ONCE_COUNT = sizeof ONCE / sizeof *ONCE };

static char *inside(const char *directory, const char *name)
{
    return format_text("%s/%s", directory, name);
}

/* ---- Choosing a directory ---- */

static bool is_run(const char *directory)
{
    return file_is_in(directory, "config.json") || file_is_in(directory, "state.safetensors") ||
           file_is_in(directory, "model.safetensors") || checkpoints_are_in(directory);
}

/* All of an overwritten run. Its log is locked: it is emptied, and stays. The run ends with its
 * state, which goes first: before, nothing is missing, and behind, nothing can go on. */
static void clear_run(const char *directory, Log *log)
{
    for (const char *const *name = RUN_FILES; *name; name++) {
        char *path = inside(directory, *name);
        if (!strcmp(*name, "log.csv"))
            log_begin(log);
        else if (unlink(path) && errno != ENOENT)
            die("cannot overwrite %s: %s", path, strerror(errno));
        if (name == RUN_FILES)
            checkpoints_clear(directory, true);
        free(path);
    }
}

/* What a kill has left beside the files that it was writing. */
static void clear_leftovers(const char *directory)
{
    for (const char *const *name = RUN_FILES; *name; name++) {
        char *beside = format_text("%s/.%s.new", directory, *name);
        unlink(beside);
        free(beside);
    }
    checkpoints_clear(directory, false);
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
        char *path = standard ? format_text("runs/text%s", suffix)
                              : format_text("runs/%.*s%s", length, base, suffix);
        if (!mkdir(path, 0777)) {
            directory_sync("runs");
            return path;
        }
        if (errno != EEXIST)
            die("cannot make the directory %s: %s", path, strerror(errno));
        free(path);
    }
}

static void check_unasked(const Settings *settings)
{
    if (!is_run(settings->out) || settings->overwrite)
        return;
    if (file_is_in(settings->out, "state.safetensors"))
        die("%s holds a run already; go on with --resume %s, replace it with --overwrite, or "
            "choose another --out",
            settings->out, settings->out);
    die("%s holds a model, or a run that was stopped before its first save; replace it with "
        "--overwrite, or choose another --out",
        settings->out);
}

/* A tokenizer without a model is somebody's own, but where a run was killed as soon as it had
 * begun: that has left its log. */
static void check_foreign_words(const char *directory)
{
    if (is_run(directory) || file_is_in(directory, "log.csv"))
        return;
    for (int i = 0; i < ONCE_COUNT; i++)
        if (file_is_in(directory, ONCE[i]))
            die("%s is no run, and has a %s that would be lost; choose another --out", directory,
                ONCE[i]);
}

/* An empty log is what a run leaves that was killed as soon as it had begun. */
static void check_foreign(const char *directory)
{
    char *log = inside(directory, "log.csv");
    struct stat status;
    if (file_is_in(directory, "text.txt") || (!stat(log, &status) && status.st_size))
        die("%s is no run, and has a text.txt or log.csv that would be lost; choose another --out",
            directory);
    free(log);
}

char *run_directory(const Settings *settings, const char *text_path, Log *log)
{
    char *directory = settings->out ? format_text("%s", settings->out) : free_directory(text_path);
    const bool named = settings->out != NULL;
    if (named) {
        check_unasked(settings); /* before anything is touched */
        check_foreign_words(directory);
        directory_make(directory);
    }
    *log = log_claim(directory);
    if (named)
        check_unasked(settings); /* nobody else writes there from here on */
    if (is_run(directory))
        clear_run(directory, log);
    else if (named)
        check_foreign(directory);
    clear_leftovers(directory);
    log_begin(log);
    return directory;
}

Log run_claim(const char *directory)
{
    if (!file_is_in(directory, "config.json"))
        die("%s is no run: it has no config.json", directory);
    if (!file_is_in(directory, "state.safetensors"))
        die("%s cannot be resumed: it has no state.safetensors; a run that was stopped before its "
            "first save begins anew with --overwrite",
            directory);
    const Log log = log_claim(directory);
    clear_leftovers(directory);
    return log;
}

/* ---- config.json ---- */

static void put_settings(cJSON *json, const Settings *settings)
{
    EACH_FIELD (field, SETTINGS)
        if (field->life != LIFE_CALL)
            json_put_field(json, field, settings);
}

uint64_t run_identity(const Settings *settings, const Text *text)
{
    uint64_t identity = text->checksum;
    EACH_FIELD (field, SETTINGS) {
        if (field->life != LIFE_RUN)
            continue;
        char *word = field_text(field, settings);
        identity = checksum_continue(identity, word, strlen(word));
        free(word);
    }
    return identity;
}

static void checksum_of_file(char text[17], const char *directory, const char *name)
{
    char *path = inside(directory, name);
    file_must_be_plain(path);
    Bytes file = file_read(path, false);
    checksum_hex(text, checksum_of(file.bytes, file.size));
    free(file.bytes);
    free(path);
}

/* The checksum of all that config.json says, but for the checksum itself. */
static void seal_text(char text[17], cJSON *json)
{
    cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    cJSON *seal = cJSON_DetachItemFromObjectCaseSensitive(pulga, "xxh3_64");
    char *all = cJSON_PrintUnformatted(json);
    checksum_hex(text, checksum_of(all, strlen(all)));
    cJSON_free(all);
    if (seal)
        cJSON_AddItemToObject(pulga, "xxh3_64", seal);
}

static bool write_sealed(const char *directory, cJSON *json)
{
    char seal[17];
    cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    cJSON_DeleteItemFromObjectCaseSensitive(pulga, "xxh3_64");
    seal_text(seal, json);
    cJSON_AddStringToObject(pulga, "xxh3_64", seal);
    return json_write(directory, "config.json", json);
}

/* Dies where one of the small files is not what was written. */
static void check_seals(const char *directory, cJSON *json)
{
    char checksum[17];
    const cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    const char *written = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(pulga, "xxh3_64"));
    seal_text(checksum, json);
    if (!written || strcmp(written, checksum))
        die("%s/config.json is damaged, or was changed since train wrote it: it does not match its "
            "checksum",
            directory);
    for (int i = 0; i < ONCE_COUNT; i++) {
        written = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(pulga, "files"), ONCE[i]));
        if (!file_is_in(directory, ONCE[i]))
            die("%s has no %s", directory, ONCE[i]);
        checksum_of_file(checksum, directory, ONCE[i]);
        if (!written || strcmp(written, checksum))
            die("%s/%s is damaged, or was changed since train wrote it: it does not match its "
                "checksum in config.json",
                directory, ONCE[i]);
    }
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
    char checksum[17], *name = format_text("%s", text_path);
    text_sanitize(name); /* a file's name is bytes, JSON is UTF-8 */
    checksum_hex(checksum, text->checksum);
    cJSON *about = cJSON_AddObjectToObject(pulga, "text");
    cJSON_AddStringToObject(about, "name", name);
    free(name);
    cJSON_AddNumberToObject(about, "size", (double)text->raw.size);
    cJSON_AddStringToObject(about, "xxh3_64", checksum);
    cJSON *files = cJSON_AddObjectToObject(pulga, "files");
    for (int i = 0; i < ONCE_COUNT; i++) {
        checksum_of_file(checksum, directory, ONCE[i]);
        cJSON_AddStringToObject(files, ONCE[i], checksum);
    }
    put_settings(pulga, &plan->settings);
    return write_sealed(directory, json);
}

bool run_write_description(const char *directory, const Plan *plan, const Vocabulary *vocabulary,
                           const char *text_path, const Text *text, const char *command)
{
    const Settings *s = &plan->settings;
    /* config.json before what would be somebody's own without it: see check_foreign. */
    return tokenizer_write(directory, vocabulary, s->lower, s->context) &&
           write_config(directory, plan, vocabulary, text_path, text, command) &&
           (text->raw.size > LARGEST_COPY ||
            file_replace(directory, "text.txt", text->raw.bytes, text->raw.size));
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
    check_seals(directory, json);
    char *path = inside(directory, "config.json");
    EACH_FIELD (field, SETTINGS)
        if (field->life != LIFE_CALL)
            json_get_field(pulga, field, settings, path);
    free(path);
    cJSON_Delete(json);
}

void run_check_seals(const char *directory)
{
    cJSON *json = read_config(directory);
    const cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    if (cJSON_GetObjectItemCaseSensitive(pulga, "xxh3_64"))
        check_seals(directory, json);
    cJSON_Delete(json);
}

bool run_write_settings(const char *directory, const Settings *settings)
{
    cJSON *json = read_config(directory);
    cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    EACH_FIELD (field, SETTINGS)
        if (field->life != LIFE_CALL)
            json_put_field(pulga, field, settings);
    return write_sealed(directory, json);
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
    const char *written = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(about, "xxh3_64"));
    char checksum[17];
    checksum_hex(checksum, text->checksum);
    if (!written || strcmp(written, checksum))
        die("%s is not the text that %s was trained on", text_path, directory);
    cJSON_Delete(json);
}

void run_check_kernel(const char *directory)
{
    cJSON *json = read_config(directory);
    const char *kernel = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(json, "pulga"), "kernel"));
    if (kernel && strcmp(kernel, matrix_kernel_name()))
        warn("%s was begun with the kernel %s, this is %s: it goes on, but not to the same bits",
             directory, kernel, matrix_kernel_name());
    cJSON_Delete(json);
}

/* ---- Saving ---- */

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

bool run_save(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
              const Progress *progress, Log *log, uint64_t identity)
{
    if (!log_check(log) || !write_model(directory, gpt, best))
        return false;
    const bool logged = log_sync(log);
    const int reason = errno;
    if (!log_check(log) || !state_write(directory, gpt, adam, best, progress, log, identity))
        return false; /* said; one line is enough */
    errno = reason;
    if (!logged)
        file_failed("write", log->path);
    return true;
}
