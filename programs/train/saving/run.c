/* run.c: a new run may take a directory that is empty, or a run that may be
 * overwritten. The old run is removed as late as possible; config.json is the first file to be
 * replaced and the model the last: see formats/huggingface/config.c for how a reader notices the change. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/run/checkpoint.h"
#include "formats/run/log.h"

/* ---- Choosing a directory ---- */

/* Whether the directory has a run, or another model. A tokenizer or a text by itself is neither:
 * see check_files_of_others. */
static bool is_run(const Directory *directory)
{
    int64_t *checkpoints = checkpoint_steps(directory);
    const bool has_checkpoint = checkpoints;
    arrfree(checkpoints);
    return directory_has(directory, CONFIG_FILE) || directory_has(directory, STATE_FILE) ||
           directory_has(directory, MODEL_FILE) || has_checkpoint;
}

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
    char *run = system_real_path(directory->path), *file = system_real_path(path);
    const size_t length = run ? strlen(run) : 0;
    bool held = false;
    if (run && file && !strncmp(file, run, length) && file[length] == '/')
        for (const char *const *name = RUN_FILES; *name; name++)
            held |= !strcmp(strrchr(file, '/') + 1, *name);
    free(run);
    free(file);
    return held;
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
    char *parent = settings->from ? format_text("%s/" MODEL_FILE, settings->from) : NULL;
    if (parent && holds(directory, parent))
        die("--from %s is in the run that --overwrite would remove; choose another --out",
            settings->from);
    free(parent);
}

/* Removes the temporary files and hidden checkpoints that a kill has left. */
static void remove_leftovers(const Directory *directory)
{
    file_remove_leftovers(directory, RUN_FILES);
    checkpoints_clear(directory, false);
}

Directory run_open(const char *path)
{
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

/* Makes a directory in runs/ named after the text: for data/perro.txt the first of runs/perro,
 * runs/perro-2, ... that is free. Only mkdir decides whether it is, so that processes which start
 * at once get one each. The caller frees the path. */
static char *make_directory_for(const char *text)
{
    char *name = run_name(text), *path = format_text("%s", name);
    directory_make("runs");
    Directory runs = directory_open("runs");
    for (int number = 2; mkdirat(runs.handle, path + strlen("runs/"), 0777); number++) {
        if (errno != EEXIST)
            die("cannot make the directory %s: %s", path, reason(errno));
        free(path);
        path = format_text("%s-%d", name, number);
    }
    directory_sync(&runs);
    directory_close(&runs);
    free(name);
    return path;
}

static void check_place(const Directory *directory, const Settings *settings, char *const *texts)
{
    if (is_run(directory))
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

Directory run_begin(const Settings *settings, char *const *texts)
{
    char *path = settings->out ? format_text("%s", settings->out) : make_directory_for(*texts);
    if (settings->out)
        directory_make(path);
    const Directory directory = run_open(path);
    check_place(&directory, settings, texts);
    remove_leftovers(&directory);
    free(path);
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
