/* run.c: see run.h. */
#include "run.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/matrix/matrix.h"
#include "../version.h"
#include "checkpoint.h"
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
           file_is_in(directory, "model.safetensors") || checkpoints_are_in(directory);
}

/* All of an overwritten run. Its log is locked: it is emptied, and stays. It is the state's end that
 * ends it: before, nothing is missing, and behind it nothing goes on. */
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
        char *beside = saying("%s/.%s.new", directory, *name);
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
        char *path = standard ? saying("runs/text%s", suffix)
                              : saying("runs/%.*s%s", length, base, suffix);
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
            "choose another --out", settings->out, settings->out);
    die("%s holds a model, or a run that was stopped before its first save; replace it with "
        "--overwrite, or choose another --out", settings->out);
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
    char *directory =
        settings->out ? saying("%s", settings->out) : free_directory(text_path);
    const bool named = settings->out != NULL;
    if (named) {
        check_unasked(settings); /* before anything is touched */
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
            "first save begins anew with --overwrite", directory);
    const Log log = log_claim(directory);
    clear_leftovers(directory);
    return log;
}

/* ---- config.json ---- */

static void put_settings(cJSON *json, const Settings *settings)
{
    for (const Field *field = SETTINGS; field->name; field++)
        if (field->of_the_run)
            cJSON_AddItemToObject(json, field->name, field_to_json(field, settings));
}

uint64_t run_identity(const Settings *settings, const Text *text)
{
    uint64_t identity = text->checksum;
    for (const Field *field = SETTINGS; field->name; field++) {
        if (field->of_the_run != THE_RUN)
            continue;
        cJSON *value = field_to_json(field, settings);
        char *word = cJSON_PrintUnformatted(value);
        identity = checksum_behind(identity, word, strlen(word));
        cJSON_free(word);
        cJSON_Delete(value);
    }
    return identity;
}

/* The small files that are written once. */
static const char *const ONCE[] = {"tokenizer.json", "tokenizer_config.json"};
enum { ONCE_COUNT = sizeof ONCE / sizeof *ONCE };

static void checksum_of_file(char text[17], const char *directory, const char *name)
{
    char *path = inside(directory, name);
    Bytes file = file_read(path, false);
    checksum_text(text, checksum_of(file.bytes, file.size));
    free(file.bytes);
    free(path);
}

/* The checksum of all that config.json says, but for the checksum itself. */
static void seal_text(char text[17], cJSON *json)
{
    cJSON *pulga = cJSON_GetObjectItemCaseSensitive(json, "pulga");
    cJSON *seal = cJSON_DetachItemFromObjectCaseSensitive(pulga, "xxh3_64");
    char *all = cJSON_PrintUnformatted(json);
    if (!all)
        die("no memory for config.json");
    checksum_text(text, checksum_of(all, strlen(all)));
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
    const char *written =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(pulga, "xxh3_64"));
    seal_text(checksum, json);
    if (!written || strcmp(written, checksum))
        die("%s/config.json is damaged, or was changed since train wrote it: it does not match its "
            "checksum", directory);
    for (int i = 0; i < ONCE_COUNT; i++) {
        written = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(pulga, "files"), ONCE[i]));
        if (!file_is_in(directory, ONCE[i]))
            die("%s has no %s", directory, ONCE[i]);
        checksum_of_file(checksum, directory, ONCE[i]);
        if (!written || strcmp(written, checksum))
            die("%s/%s is damaged, or was changed since train wrote it: it does not match its "
                "checksum in config.json", directory, ONCE[i]);
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
    char checksum[17];
    checksum_text(checksum, text->checksum);
    cJSON *about = cJSON_AddObjectToObject(pulga, "text");
    cJSON_AddStringToObject(about, "name", text_path);
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
    return write_sealed(directory, json);
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

/* What a state says beside its numbers, and in which order its checksum covers it. */
enum {
    STEP, EPOCH, NEXT, BEST_LOSS, BEST_STEP, WORSE, LOG_SIZE, LOG_SUM, LOG_LINES, RUN, WORDS_ALL
};
static const char *const WORDS_NAMES[WORDS_ALL] = {
    [STEP] = "step", [EPOCH] = "epoch", [NEXT] = "next", [BEST_LOSS] = "best_loss",
    [BEST_STEP] = "best_step", [WORSE] = "worse", [LOG_SIZE] = "log_size",
    [LOG_SUM] = "log_xxh3_64", [LOG_LINES] = "log_lines", [RUN] = "run_xxh3_64",
};
static const char WORDS_SUM[] = "progress_xxh3_64";

static void checksum_of_words(char text[17], const char *const *words)
{
    uint64_t checksum = 0;
    for (int i = 0; i < WORDS_ALL; i++)
        checksum = checksum_behind(checksum, words[i], strlen(words[i]) + 1);
    checksum_text(text, checksum);
}

static cJSON *metadata_of(const Progress *p, const Log *log, uint64_t identity)
{
    char log_sum[17], run[17], sum[17];
    checksum_text(log_sum, log->safe.checksum);
    checksum_text(run, identity);
    char *words[WORDS_ALL] = {
        [STEP] = saying("%" PRId64, p->step), [EPOCH] = saying("%" PRId64, p->epoch),
        [NEXT] = saying("%zu", p->next), [BEST_LOSS] = saying("%.17g", p->best_loss),
        [BEST_STEP] = saying("%" PRId64, p->best_step), [WORSE] = saying("%d", p->worse),
        [LOG_SIZE] = saying("%zu", log->safe.size), [LOG_SUM] = saying("%s", log_sum),
        /* Lines that the log could not take are kept here: none is ever missing. */
        [LOG_LINES] = strndup(log->lines ? log->lines : "", arrlenu(log->lines)),
        [RUN] = saying("%s", run),
    };
    cJSON *metadata = cJSON_CreateObject();
    checksum_of_words(sum, (const char *const *)words);
    for (int i = 0; i < WORDS_ALL; i++) {
        cJSON_AddStringToObject(metadata, WORDS_NAMES[i], words[i]);
        free(words[i]);
    }
    cJSON_AddStringToObject(metadata, WORDS_SUM, sum);
    return metadata;
}

static bool write_state(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
                        const Progress *p, cJSON *metadata)
{
    NamedTensor *list = memory_new(4 * (size_t)gpt->tensor_count, sizeof *list, "a file's table");
    int count = weights_list(list, gpt, gpt->weight_block, "last.");
    count += weights_list(list + count, gpt, adam->m, "adam_m.");
    count += weights_list(list + count, gpt, adam->v, "adam_v.");
    if (p->best_step != p->step) /* else the best weights are the last ones */
        count += weights_list(list + count, gpt, best, "best.");
    const bool good = safetensors_write(directory, "state.safetensors", list, count, metadata);
    cJSON_Delete(metadata);
    free(list);
    return good;
}

bool run_save(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
              const Progress *progress, Log *log, uint64_t identity)
{
    if (!write_model(directory, gpt, best))
        return false;
    const bool logged = log_sync(log);
    const int reason = errno;
    if (!write_state(directory, gpt, adam, best, progress, metadata_of(progress, log, identity)))
        return false; /* said; one line is enough */
    errno = reason;
    if (!logged)
        file_failed("write", log->path);
    return true;
}

/* A number of the state's metadata; dies where it is none. */
static double number_of(const SafeTensors *file, int word)
{
    const char *text = safetensors_metadata(file, WORDS_NAMES[word]);
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end || isnan(number) || number < 0)
        die("%s is damaged: it does not say its %s", file->path, WORDS_NAMES[word]);
    return number;
}

/* A count among them: whole, and small enough for the type it goes into. */
static int64_t count_of(const SafeTensors *file, int word, double most)
{
    const double number = number_of(file, word);
    if (number > most || number != (double)(int64_t)number)
        die("%s is damaged: its %s cannot be %g", file->path, WORDS_NAMES[word], number);
    return (int64_t)number;
}

static void check_words(const SafeTensors *file, const char *directory, uint64_t identity)
{
    const char *words[WORDS_ALL], *written = safetensors_metadata(file, WORDS_SUM);
    char checksum[17];
    for (int i = 0; i < WORDS_ALL; i++)
        if (!(words[i] = safetensors_metadata(file, WORDS_NAMES[i])))
            die("%s is damaged: it does not say its %s", file->path, WORDS_NAMES[i]);
    checksum_of_words(checksum, words);
    if (!written || strcmp(written, checksum))
        die("%s is damaged: its progress does not match its checksum", file->path);
    checksum_text(checksum, identity);
    if (strcmp(words[RUN], checksum))
        die("%s is of another run than %s/config.json", file->path, directory);
}

Progress run_read_state(const char *directory, Gpt *gpt, Adam *adam, Real *best, Log *log,
                        uint64_t identity)
{
    char *path = inside(directory, "state.safetensors");
    SafeTensors file = safetensors_open(path);
    check_words(&file, directory, identity);
    const Progress progress = {
        .step = count_of(&file, STEP, INT_MAX), .epoch = count_of(&file, EPOCH, INT_MAX),
        .next = (size_t)count_of(&file, NEXT, 0x1p53), .best_loss = number_of(&file, BEST_LOSS),
        .best_step = count_of(&file, BEST_STEP, INT_MAX),
        .worse = (int)count_of(&file, WORSE, INT_MAX),
    };
    log->safe = (LogMark){
        .size = (size_t)count_of(&file, LOG_SIZE, 0x1p53),
        .checksum = strtoull(safetensors_metadata(&file, WORDS_NAMES[LOG_SUM]), NULL, 16),
    };
    const char *lines = safetensors_metadata(&file, WORDS_NAMES[LOG_LINES]);
    memcpy(arraddnptr(log->lines, strlen(lines)), lines, strlen(lines));
    weights_read(&file, gpt, gpt->weight_block, "last.");
    weights_read(&file, gpt, adam->m, "adam_m.");
    weights_read(&file, gpt, adam->v, "adam_v.");
    weights_read(&file, gpt, best, progress.best_step != progress.step ? "best." : "last.");
    safetensors_close(&file);
    free(path);
    return progress;
}
