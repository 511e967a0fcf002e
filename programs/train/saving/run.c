/* run.c: a new run may take a directory that is empty, or a run that may be overwritten. The old
 * run is removed as late as possible; config.json is the first file to be replaced and the model
 * the last: formats/huggingface/config.c tells how a reader notices the change. */
#include "run.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/files/zip.h"
#include "base/utf8.h"
#include "formats/huggingface/weights.h"
#include "formats/json.h"
#include "formats/run/checkpoint.h"
#include "formats/run/log.h"
#include "model/matrix/matrix.h"

/* ---- Choosing a directory ---- */

/* Dies if a directory that is not a run has files of the user, with which a new run's would be
 * mixed. Hidden ones may be left from a run that was killed at once. */
static void check_files_of_others(const Directory *directory)
{
    char **names = directory_names(directory);
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        if (*names[i] != '.')
            die("%s has files that are not a run's, such as %s; choose another --out",
                directory->path, names[i]);
    names_free(names);
}

/* Whether a path leads, perhaps over links, to a file of the run or of one of its checkpoints. */
static bool holds(const Directory *directory, const char *path)
{
    AUTOFREE char *run = system_real_path(directory->path), *file = system_real_path(path);
    const size_t length = run ? strlen(run) : 0;
    if (run && file && !strncmp(file, run, length) && file[length] == '/')
        for (const char *const *name = RUN_FILES; *name; name++)
            if (!strcmp(strrchr(file, '/') + 1, *name))
                return true;
    return false;
}

/* Dies if the run that is there may not be overwritten: --overwrite was not given, or the new run
 * needs one of its files, as the text or as the model to start from. */
static void check_overwriting(const Directory *directory, const Settings *settings,
                              char *const *texts)
{
    if (!settings->overwrite) {
        if (directory_has(directory, STATE_FILE))
            die("%s holds a run already; go on with --resume %s, replace it with --overwrite, or "
                "choose another --out",
                directory->path, directory->path);
        die("%s holds a model, or a run that was stopped before its first save; replace it with "
            "--overwrite, or choose another --out",
            directory->path);
    }
    for (; *texts; texts++)
        if (holds(directory, strcmp(*texts, "-") ? *texts : "/dev/stdin"))
            die("%s is a file of the run that --overwrite would remove; copy it elsewhere first",
                *texts);
    AUTOFREE char *parent = settings->from ? format_text("%s/" MODEL_FILE, settings->from) : NULL;
    if (parent && holds(directory, parent))
        die("--from %s is in the run that --overwrite would remove; choose another --out",
            settings->from);
}

/* Removes the temporary files and hidden checkpoints that a kill has left. */
static void remove_leftovers(const Directory *directory)
{
    file_remove_leftovers(directory, RUN_FILES);
    checkpoints_clear(directory, false);
}

Directory run_open(const char *path)
{
    if (zip_is(path))
        die("%s is a .zip, in which no run can be trained: unpack it, and name its folder", path);
    const Directory directory = directory_open(path);
    if (!directory_lock(&directory))
        die("another train is writing to %s; wait for it, or stop it", path);
    return directory;
}

char *run_name(const char *text)
{
    const char *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
    if (!strcmp(text, "-"))
        base = "stdin";
    const char *dot = strrchr(base, '.');
    const int length = (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base));
    return format_text("runs/%.*s", length, base);
}

/* Seconds; a run that took less may be made again in its place. */
static const double SHORT = 60;

/* Whether a directory in runs/ has a run of the same text and settings, which took little time and
 * is not in training: made again, it becomes the same. */
static bool may_be_made_again(const Directory *runs, const char *name, const char *receipt)
{
    Directory old;
    if (!directory_enter(&old, runs, name))
        return false;
    bool same = directory_lock(&old) && directory_has(&old, RECEIPT_FILE) &&
                directory_has(&old, CONFIG_FILE);
    if (same) {
        Bytes file = file_read_in(&old, RECEIPT_FILE, true);
        cJSON *json = json_read(&old, CONFIG_FILE);
        const cJSON *result = json_get(json_get(json, "pulga"), "result");
        same = !strncmp(file.bytes, receipt, strlen(receipt)) &&
               json_number(result, "seconds") < SHORT;
        cJSON_Delete(json);
        free(file.bytes);
    }
    directory_close(&old);
    return same;
}

/* Finds a directory in runs/ named after the text: for data/perro.txt the first of runs/perro,
 * runs/perro-2, ... that is free or may be made again. Only mkdir decides whether it is free, so
 * that processes which start at once get one each. The caller frees the path. */
static char *directory_for(const char *text, const char *receipt, bool *again)
{
    AUTOFREE char *name = run_name(text);
    char *path = format_text("%s", name);
    directory_make("runs");
    Directory runs = directory_open("runs");
    for (int number = 2; mkdirat(runs.handle, path + strlen("runs/"), 0777); number++) {
        if (errno != EEXIST)
            die("cannot make the directory %s: %s", path, reason(errno));
        if ((*again = may_be_made_again(&runs, path + strlen("runs/"), receipt)))
            break;
        free(path);
        path = format_text("%s-%d", name, number);
    }
    directory_sync(&runs);
    directory_close(&runs);
    return path;
}

/* A run, or another model, may be overwritten if that was asked for. A tokenizer or a text by
 * itself is neither. */
static void check_place(const Directory *directory, const Settings *settings, char *const *texts)
{
    int64_t *checkpoints = checkpoint_steps(directory);
    const bool has_checkpoint = checkpoints;
    arrfree(checkpoints);
    if (directory_has(directory, CONFIG_FILE) || directory_has(directory, STATE_FILE) ||
        directory_has(directory, MODEL_FILE) || has_checkpoint)
        check_overwriting(directory, settings, texts);
    else
        check_files_of_others(directory);
}

void run_check(const Settings *settings, char *const *texts)
{
    if (!settings->out || access(settings->out, F_OK))
        return;
    Directory directory = run_open(settings->out);
    check_place(&directory, settings, texts);
    directory_close(&directory);
}

Directory run_begin(const Settings *settings, char *const *texts, const char *receipt)
{
    bool again = false;
    AUTOFREE char *path =
        settings->out ? format_text("%s", settings->out) : directory_for(*texts, receipt, &again);
    if (settings->out)
        directory_make(path);
    const Directory directory = run_open(path);
    if (!again)
        check_place(&directory, settings, texts);
    remove_leftovers(&directory);
    return directory;
}

Directory run_resume(const char *path)
{
    const Directory directory = run_open(path);
    if (!directory_has(&directory, CONFIG_FILE))
        die("%s is not a run: it has no config.json", path);
    if (!directory_has(&directory, STATE_FILE))
        die("%s cannot be resumed: it has no state.safetensors; a run that was stopped before its "
            "first save is begun again with: train TEXT --out %s --overwrite",
            path, path);
    remove_leftovers(&directory);
    return directory;
}

/* Removes an overwritten run, except the files that are replaced next: its state first, so that it
 * can never be resumed with files of the new run. */
bool run_remove_old(const Directory *directory)
{
    static const char *const files[] = {STATE_FILE,   MODEL_FILE, LOG_FILE,  SHOWN_FILE,
                                        RECEIPT_FILE, CURVE_FILE, TEXT_FILE, TOKENS_FILE};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (unlinkat(directory->handle, files[i], 0) && errno != ENOENT) {
            warn("cannot overwrite %s/%s: %s", directory->path, files[i], reason(errno));
            return false;
        }
    checkpoints_clear(directory, true);
    return true;
}

/* ---- config.json ---- */

/* The object "pulga" of config.json, written and read through the table of settings.
 *
 *     "pulga": {"version": "0.1", "command": "train data/perro.txt --steps 9",
 *               "kernel": "avx512", "identity": "21de9fd719d50c5c",
 *               "text": {"name": "data/perro.txt", "size": 212, "xxh3_64": "05a12f370b3ee3c1"},
 *               "tokens": "word", "sequence": "lines", "lower": false, "min-count": 1, ...,
 *               "result": {"step": 9, "best_step": 9, "best_loss": 1.94, ...}}
 */

/* The settings are taken as the text that config.json stores: a number has the same digits in every
 * call. The 0 after each word keeps "1", "23" apart from "12", "3". */
uint64_t record_identity(const Settings *settings, uint64_t text, const Tokenizer *tokenizer)
{
    uint64_t checksum = text;
    EACH_FIELD (field, SETTINGS) {
        if (field->life != LIFE_RUN)
            continue;
        AUTOFREE char *word = field_text(field, settings);
        checksum = checksum_continue(checksum, word, strlen(word) + 1);
    }
    return tokenizer_checksum(tokenizer, checksum);
}

/* One text has a "name", several have "names". */
static void put_text(cJSON *json, char *const *texts, CorpusOrigin origin)
{
    cJSON *names = texts[1] ? cJSON_AddArrayToObject(json, "names") : NULL;
    for (; *texts; texts++) {
        AUTOFREE char *name = format_text("%s", *texts);
        text_sanitize(name); /* a file's name is bytes, JSON is UTF-8 */
        if (names)
            cJSON_AddItemToArray(names, cJSON_CreateString(name));
        else
            cJSON_AddStringToObject(json, "name", name);
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
    config_put_numbers(json, &settings->shape);
    if (result) {
        const double before = json_number(json_get(own, "result"), "seconds"); /* NAN: none */
        cJSON_AddNumberToObject(result, "seconds", seconds + fmax(before, 0));
        cJSON_DeleteItemFromObjectCaseSensitive(own, "result");
        cJSON_AddItemToObject(own, "result", result);
    }
    return json_write(directory, CONFIG_FILE, json);
}

/* What was asked for and may change keeps the value of the call, but that of the file is checked
 * too. Settings for one call only, such as --threads, are not in config.json and stay as they are.
 * So do those that came with a later version, and change nothing of what the run is. */
Config record_take_over(const Directory *directory, Settings *settings, Decided *decided)
{
    const Config config = config_read(directory);
    AUTOFREE char *path = path_in(directory, CONFIG_FILE);
    const Decided asked = *decided;
    Settings unused = {0};
    if (!config_own(&config) || !config.text)
        die("%s/config.json was not written by train, so the run cannot be resumed; begin a new "
            "run with --from %s",
            directory->path, directory->path);
    EACH_FIELD (field, SETTINGS)
        if (asked.at[field->offset] && field->life == LIFE_RUN)
            usage_error("--%s cannot change in a resumed run; %s keeps its own", field->name,
                        settings->resume);
    EACH_FIELD (field, SETTINGS) {
        const bool optional =
            field->life == LIFE_MAY_CHANGE && (field->preset || field->kind == FIELD_TEXT);
        const bool there = json_get(config_own(&config), field->name);
        if (field->life == LIFE_CALL)
            continue;
        if (!there && !optional)
            die("%s has no \"%s\": another version of Pulga wrote it, or it is damaged; the run "
                "cannot be resumed, but a new one can begin with --from %s",
                path, field->name, directory->path);
        if (there)
            json_get_field(config_own(&config), field, asked.at[field->offset] ? &unused : settings,
                           path);
        decided->at[field->offset] = true;
    }
    /* Steps follow from epochs or the other way round: what was not asked for follows. */
    if (DECIDED(&asked, epochs))
        DECIDED(decided, steps) = false;
    if (DECIDED(&asked, steps))
        DECIDED(decided, epochs) = false;
    settings_check_prompt(settings, &asked);
    settings_check_values(settings, decided);
    fields_free(SETTINGS, &unused);
    return config;
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
    EACH_GPT_FIELD (f) {
        const char *named = f->names[gpt_config_family(&plan->shape)];
        if (!field_equal(&f->field, &config->shape, &plan->shape))
            die(changed, directory->path, named ? named : f->field.name);
    }
    if (!config->shape.patterns != !plan->shape.patterns)
        die(changed, directory->path, "attend");
    const char *begun = json_text(config_own(config), "kernel");
    if (plan->settings.precision != PRECISION_F32 && begun && strcmp(begun, matrix_kernel_name()))
        warn("%s was begun with the kernel %s, this is %s: it goes on, but not to the same bits",
             directory->path, begun, matrix_kernel_name());
}

/* ---- state.safetensors ---- */

/* The progress is kept as words in the metadata of a safetensors file, whose checksum
 * covers them and the numbers:
 *
 *     {"__metadata__": {"step": "9", "epoch": "8", "next": "9", "best_loss": "2.0321846895383482",
 *                       ..., "log_size": "512", "identity": "21de9fd719d50c5c", ...},
 *      "last.transformer.wte.weight": {...}, ..., "adam_m.transformer.wte.weight": {...}, ...}
 */

/* A number as a word that strtod() reads back to the same bits; a whole one has no point. */
static void put(cJSON *metadata, const char *name, double number)
{
    char word[32];
    snprintf(word, sizeof word, "%.17g", number);
    cJSON_AddStringToObject(metadata, name, word);
}

/* The tensors have Transformers' names after "last.", "adam_m.", "adam_v.", "average." or
 * "best.". */
bool state_write(const Directory *directory, const Gpt *gpt, const Optimizer *optimizer, Real *best,
                 const Progress *p, size_t log_size, uint64_t identity)
{
    AUTOFREE NamedTensor *list =
        memory_new(5 * (size_t)gpt->tensor_count, sizeof *list, "a file's table");
    int count = weights_list(list, gpt, gpt->weight_block, "last.");
    count += weights_list(list + count, gpt, optimizer->m, "adam_m.");
    count += weights_list(list + count, gpt, optimizer->v, "adam_v.");
    if (optimizer->average)
        count += weights_list(list + count, gpt, optimizer->average, "average.");
    if (p->best_step != p->step) /* else the best weights are the last or averaged ones */
        count += weights_list(list + count, gpt, best, "best.");
    cJSON *metadata = cJSON_CreateObject();
    put(metadata, "step", (double)p->step);
    put(metadata, "epoch", (double)p->epoch);
    put(metadata, "next", (double)p->next);
    put(metadata, "best_loss", p->best_loss);
    put(metadata, "best_step", (double)p->best_step);
    put(metadata, "worse", p->worse);
    put(metadata, "loss", p->loss);
    put(metadata, "gradient_norm", p->gradient_norm);
    put(metadata, "evaluated", p->evaluated);
    put(metadata, "log_size", (double)log_size);
    cJSON_AddStringToObject(metadata, "identity", checksum_hex(identity).text);
    return safetensors_write(directory, STATE_FILE, list, count, metadata);
}

uint64_t state_checksum(const Gpt *gpt, const Optimizer *optimizer)
{
    Real *const blocks[] = {gpt->weight_block, optimizer->m, optimizer->v, optimizer->average};
    uint64_t checksums[4] = {0};
    for (int i = 0; i < 4; i++)
        if (blocks[i])
            checksums[i] = weights_checksum(gpt, blocks[i]);
    return checksum_of(checksums, sizeof checksums);
}

/* The file has the right checksum, or none: a word that is missing or makes no sense was written by
 * another program. */
static const char *word_of(const SafeTensors *file, const char *name)
{
    const char *word = safetensors_metadata(file, name);
    if (!word)
        die("%s is damaged: its %s is missing", file->path, name);
    return word;
}

/* A number of the progress; none of them is negative, and best_loss may be infinite. A count is a
 * whole number, `most` at most; for others that is NAN. */
static double number_of(const SafeTensors *file, const char *name, double most)
{
    const char *word = word_of(file, name);
    char *end;
    const double number = strtod(word, &end);
    if (end == word || *end || !(number >= 0))
        die("%s is damaged: its %s is '%.60s'", file->path, name, word);
    if (number > most || (!isnan(most) && number != floor(number)))
        die("%s is damaged: its %s is %g", file->path, name, number);
    return number;
}

/* If the best weights are those of this step, both blocks are read from the same tensors. */
Progress state_read(const Directory *directory, Gpt *gpt, Optimizer *optimizer, Real *best,
                    size_t *log_size, uint64_t identity)
{
    SafeTensors file = safetensors_open(directory, STATE_FILE);
    if (strcmp(word_of(&file, "identity"), checksum_hex(identity).text) != 0)
        die("%s belongs to another run than %s/config.json", file.path, directory->path);
    const Progress progress = {.step = (int64_t)number_of(&file, "step", INT_MAX),
                               .epoch = (int64_t)number_of(&file, "epoch", INT_MAX),
                               .next = (size_t)number_of(&file, "next", 0x1p53),
                               .best_loss = number_of(&file, "best_loss", NAN),
                               .best_step = (int64_t)number_of(&file, "best_step", INT_MAX),
                               .worse = (int)number_of(&file, "worse", INT_MAX),
                               .loss = number_of(&file, "loss", NAN),
                               .gradient_norm = number_of(&file, "gradient_norm", NAN),
                               .evaluated = number_of(&file, "evaluated", 1) > 0};
    *log_size = (size_t)number_of(&file, "log_size", 0x1p53);
    weights_read(&file, gpt, gpt->weight_block, "last.");
    weights_read(&file, gpt, optimizer->m, "adam_m.");
    weights_read(&file, gpt, optimizer->v, "adam_v.");
    if (optimizer->average)
        weights_read(&file, gpt, optimizer->average, "average.");
    weights_read(&file, gpt, best,
                 progress.best_step != progress.step ? "best."
                 : optimizer->average                ? "average."
                                                     : "last.");
    safetensors_close(&file);
    return progress;
}
