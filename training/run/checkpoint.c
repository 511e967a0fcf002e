/* checkpoint.c: everything is done relative to the run's handle, under the run's lock. A checkpoint
 * is a directory that is locked like any run while somebody trains in it, so taking its lock tells
 * whether it may be removed. */
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"

static const char LOG[] = "log.csv", TEXT[] = "text.txt";

const char *const RUN_FILES[] = {"state.safetensors",
                                 "model.safetensors",
                                 LOG,
                                 "tokenizer.json",
                                 "tokenizer_config.json",
                                 TEXT,
                                 "config.json",
                                 NULL};

typedef char Name[64];

/* "checkpoint-STEP", with "." before and ".new" or ".old" after it while it is made or removed. */
static void name_of(Name name, const char *prefix, int64_t step, const char *suffix)
{
    snprintf(name, sizeof(Name), "%scheckpoint-%" PRId64 "%s", prefix, step, suffix);
}

/* The step of a checkpoint's name as it is written here, else -1. */
static int64_t step_of(const char *entry)
{
    static const char prefix[] = "checkpoint-";
    if (strncmp(entry, prefix, strlen(prefix)))
        return -1;
    Name name;
    const int64_t step = strtoll(entry + strlen(prefix), NULL, 10);
    name_of(name, "", step, "");
    return step < 0 || strcmp(entry, name) ? -1 : step;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The steps of all checkpoints, growing: an stb_ds array. */
static int64_t *steps_of(const Directory *run)
{
    int64_t *steps = NULL;
    char **names = directory_names(run);
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        if (step_of(names[i]) >= 0)
            arrput(steps, step_of(names[i]));
    names_free(names);
    if (steps)
        qsort(steps, arrlenu(steps), sizeof *steps, by_number);
    return steps;
}

bool checkpoints_exist(const Directory *run)
{
    int64_t *steps = steps_of(run);
    const bool any = arrlenu(steps) > 0;
    arrfree(steps);
    return any;
}

bool checkpoints_hold(const Directory *run, const char *path)
{
    bool held = false;
    int64_t *steps = steps_of(run);
    for (ptrdiff_t i = -1; i < arrlen(steps); i++)
        for (const char *const *file = RUN_FILES; *file; file++) {
            char *name = i < 0 ? format_text("%s", *file)
                               : format_text("checkpoint-%" PRId64 "/%s", steps[i], *file);
            held |= directory_is_same(run, name, path);
            free(name);
        }
    arrfree(steps);
    return held;
}

/* ---- Removing ---- */

/* Removes a directory that was hidden under this name; nothing beyond a link is touched. */
static bool remove_hidden(const Directory *run, const char *hidden)
{
    Directory directory;
    if (!directory_enter(&directory, run, hidden))
        return errno == ENOENT;
    file_remove_leftovers(&directory, RUN_FILES);
    for (const char *const *file = RUN_FILES; *file; file++)
        unlinkat(directory.handle, *file, 0);
    directory_close(&directory);
    return !unlinkat(run->handle, hidden, AT_REMOVEDIR);
}

/* Whether a checkpoint holds only what was put there, and nobody trains in it. */
static bool is_ours(const Directory *checkpoint)
{
    char **names = directory_names(checkpoint);
    bool ours = names && directory_lock(checkpoint);
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        const char *const *file = RUN_FILES;
        while (*file && strcmp(*file, names[i]) != 0)
            file++;
        ours = ours && *file;
    }
    names_free(names);
    return ours;
}

/* Hides a checkpoint and removes it, unless it is somebody's own by now. */
static void remove_checkpoint(const Directory *run, int64_t step)
{
    Name name, hidden;
    Directory checkpoint = {0};
    name_of(name, "", step, "");
    name_of(hidden, ".", step, ".old");
    if (!directory_enter(&checkpoint, run, name)) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) /* a file, or a link */
            file_failed("remove", name);
        return;
    }
    if (is_ours(&checkpoint) &&
        (renameat(run->handle, name, run->handle, hidden) || !remove_hidden(run, hidden)))
        file_failed("remove", checkpoint.path);
    directory_close(&checkpoint);
}

void checkpoints_clear(const Directory *run, bool all)
{
    char **names = directory_names(run);
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        static const char hidden[] = ".checkpoint-";
        const char *dot = strrchr(names[i], '.');
        if (!strncmp(names[i], hidden, strlen(hidden)) &&
            (!strcmp(dot, ".new") || !strcmp(dot, ".old")))
            remove_hidden(run, names[i]);
    }
    names_free(names);
    int64_t *steps = all ? steps_of(run) : NULL;
    for (ptrdiff_t i = 0; i < arrlen(steps); i++)
        remove_checkpoint(run, steps[i]);
    arrfree(steps);
}

/* ---- Making ---- */

/* Copies the first `size` bytes of a file, or all of them. */
static bool copy(const Directory *from, const Directory *to, const char *name, size_t size)
{
    char *path = path_in(from, name), some[1 << 16];
    const int file = openat(from->handle, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *source = file < 0 ? NULL : fdopen(file, "rb");
    FileWriter writer;
    bool good = source || file_failed("read", path);
    if (good && (good = file_begin(&writer, to, name))) {
        for (size_t got = 1; got && size; size -= got) {
            got = fread(some, 1, size < sizeof some ? size : sizeof some, source);
            fwrite(some, 1, got, writer.stream);
        }
        const bool read = !ferror(source) || file_failed("read", path);
        good = file_commit(&writer) && read;
    }
    if (source)
        fclose(source);
    free(path);
    return good;
}

/* Gives a checkpoint one of the run's files. A link is followed: the checkpoint has the file. */
static bool take(const Directory *run, const Directory *checkpoint, const char *name,
                 size_t log_size)
{
    const bool is_log = !strcmp(name, LOG);
    if (!is_log && !linkat(run->handle, name, checkpoint->handle, name, AT_SYMLINK_FOLLOW))
        return true;
    if ((is_log || !strcmp(name, TEXT)) && !directory_has(run, name))
        return true; /* a large text has no copy, and a log may have been removed */
    return copy(run, checkpoint, name, is_log ? log_size : SIZE_MAX); /* if links are not known */
}

/* All files of the run, and their names safe on the disk. */
static bool fill(const Directory *run, const Directory *checkpoint, size_t log_size)
{
    for (const char *const *name = RUN_FILES; *name; name++)
        if (!take(run, checkpoint, *name, log_size))
            return false;
    return directory_sync(checkpoint);
}

/* Makes a checkpoint out of sight, and shows it when it is whole. */
static bool make(const Directory *run, int64_t step, size_t log_size)
{
    Name name, hidden;
    Directory checkpoint = {0};
    name_of(name, "", step, "");
    name_of(hidden, ".", step, ".new");
    char *path = path_in(run, name); /* for messages */
    bool good =
        (!mkdirat(run->handle, hidden, 0777) && directory_enter(&checkpoint, run, hidden)) ||
        file_failed("make", path);
    if (good) {
        good = fill(run, &checkpoint, log_size);
        directory_close(&checkpoint);
    }
    if (good)
        good = !renameat(run->handle, hidden, run->handle, name) || file_failed("make", path);
    if (!good)
        remove_hidden(run, hidden);
    free(path);
    return good && directory_sync(run);
}

bool checkpoint_keep(const Directory *run, int64_t step, size_t log_size, int most, bool again)
{
    Name name;
    name_of(name, "", step, "");
    if (again) /* the run was taken back to before this step, and has come to it again */
        remove_checkpoint(run, step);
    if ((again || !directory_has(run, name)) && !make(run, step, log_size))
        return false;
    int64_t *steps = steps_of(run);
    ptrdiff_t past = 0; /* those after this step are not in question yet */
    while (past < arrlen(steps) && steps[past] <= step)
        past++;
    for (ptrdiff_t i = 0; steps && i + most < past; i++)
        remove_checkpoint(run, steps[i]);
    arrfree(steps);
    return true;
}
