/* checkpoint.c: everything is done relative to the run's handle, under the run's lock, so no other
 * train makes or removes checkpoints of this run meanwhile. A train that goes on in a checkpoint
 * locks it like any run: only a checkpoint that can be locked is removed. */
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"
#include "log.h"

/* The hidden name of a checkpoint, ".checkpoint-STEP"; from its second character on it is the name
 * of the whole one. */
typedef char Name[64];

static void name_of(Name hidden, int64_t step)
{
    snprintf(hidden, sizeof(Name), ".checkpoint-%" PRId64, step);
}

int64_t checkpoint_step(const char *name)
{
    static const char prefix[] = "checkpoint-";
    Name hidden;
    const bool begins = !strncmp(name, prefix, strlen(prefix));
    const int64_t step = begins ? strtoll(name + strlen(prefix), NULL, 10) : -1;
    name_of(hidden, step);
    return step >= 0 && !strcmp(name, hidden + 1) ? step : -1;
}

static int by_step(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

int64_t *checkpoint_steps(const Directory *run)
{
    char **names = directory_names(run);
    int64_t *steps = NULL;
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        if (checkpoint_step(names[i]) >= 0)
            arrput(steps, checkpoint_step(names[i]));
    names_free(names);
    if (steps)
        qsort(steps, arrlenu(steps), sizeof *steps, by_step);
    return steps;
}

char *checkpoint_path(const Directory *run, int64_t step)
{
    Name hidden;
    name_of(hidden, step);
    return path_in(run, hidden + 1);
}

/* Warns what could not be done, with errno's reason; returns false. */
static bool cannot(const char *what, const Directory *run, const char *name)
{
    warn("cannot %s %s/%s: %s", translated(what), run->path, name, reason(errno));
    return false;
}

/* ---- Removing ---- */

/* Removes a hidden directory with the files of a run, and the temporary ones of a copy that was
 * killed. Nothing beyond a link is touched, and a file that is not a run's keeps the directory.
 * True if it is gone. */
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

/* Whether a checkpoint has only files of a run, and nobody trains in it. Its lock is then held
 * until the directory is closed. An empty one, or one that cannot be listed, is not ours. */
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

/* Hides a checkpoint and removes it, unless it is someone else's by now: something was added to it,
 * another process trains in it, or a file or a link has its name. Warns if it cannot be removed; if
 * it is hidden by then, the next start of the run removes it. */
static void remove_checkpoint(const Directory *run, int64_t step)
{
    Name hidden;
    name_of(hidden, step);
    const char *name = hidden + 1;
    Directory checkpoint;
    if (!directory_enter(&checkpoint, run, name)) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            cannot("remove", run, name);
        return;
    }
    if (is_ours(&checkpoint) &&
        (renameat(run->handle, name, run->handle, hidden) || !remove_hidden(run, hidden)))
        cannot("remove", run, name);
    directory_close(&checkpoint);
}

void checkpoints_clear(const Directory *run, bool all)
{
    char **names = directory_names(run);
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        if (names[i][0] == '.' && checkpoint_step(names[i] + 1) >= 0)
            remove_hidden(run, names[i]);
        if (all && checkpoint_step(names[i]) >= 0)
            remove_checkpoint(run, checkpoint_step(names[i]));
    }
    names_free(names);
}

/* ---- Making ---- */

/* Copies a file of the run into the checkpoint, or its first `size` bytes if it has more, and syncs
 * the copy. Warns and returns false if that fails. */
static bool copy(const Directory *run, const Directory *checkpoint, const char *name, size_t size)
{
    char bytes[1 << 16];
    ssize_t got = 1;
    FileWriter writer;
    const int file = openat(run->handle, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return cannot("read", run, name);
    const bool begun = file_begin(&writer, checkpoint, name);
    while (begun && size && got > 0) {
        got = read(file, bytes, size < sizeof bytes ? size : sizeof bytes);
        if (got > 0)
            size -= fwrite(bytes, 1, (size_t)got, writer.stream);
    }
    const bool good = got >= 0 || cannot("read", run, name);
    close(file);
    return begun && file_commit(&writer) && good;
}

/* Gives a checkpoint all files that the run has, and makes sure that their names are on the disk.
 * Each file gets a second name: the run replaces its files whole, so what has this name now stays
 * as it is. (A symbolic link is followed: the checkpoint has the file.) What the run goes on
 * writing, the log and what --show prints, is copied; so is everything on a file system without
 * hard links. */
static bool fill(const Directory *run, const Directory *checkpoint, size_t log_size)
{
    for (const char *const *name = RUN_FILES; *name; name++) {
        const bool is_log = !strcmp(*name, LOG_FILE);
        const bool grows = is_log || !strcmp(*name, SHOWN_FILE);
        if (!grows && !linkat(run->handle, *name, checkpoint->handle, *name, AT_SYMLINK_FOLLOW))
            continue;
        if (directory_has(run, *name) &&
            !copy(run, checkpoint, *name, is_log ? log_size : SIZE_MAX))
            return false;
    }
    return directory_sync(checkpoint);
}

/* Makes a checkpoint under its hidden name, and renames it when it is whole. Its files reach the
 * disk first, then their names, then its own name: even after a power cut it is whole or
 * missing. */
static bool make(const Directory *run, const char *hidden, size_t log_size)
{
    const char *name = hidden + 1;
    Directory checkpoint;
    remove_hidden(run, hidden); /* of an attempt that failed */
    if (mkdirat(run->handle, hidden, 0777) || !directory_enter(&checkpoint, run, hidden))
        return cannot("make", run, name);
    bool good = fill(run, &checkpoint, log_size);
    directory_close(&checkpoint);
    if (good && renameat(run->handle, hidden, run->handle, name))
        good = cannot("make", run, name);
    if (!good)
        remove_hidden(run, hidden);
    return good && directory_sync(run);
}

bool checkpoint_keep(const Directory *run, int64_t step, size_t log_size, int most, bool again)
{
    Name hidden;
    name_of(hidden, step);
    if (again) /* the run was resumed from an earlier step, and has come to this one again */
        remove_checkpoint(run, step);
    if ((again || !directory_has(run, hidden + 1)) && !make(run, hidden, log_size))
        return false;
    int64_t *steps = checkpoint_steps(run);
    ptrdiff_t count = arrlen(steps);
    while (count && steps[count - 1] > step) /* the run was resumed from an earlier step */
        count--;
    for (ptrdiff_t i = 0; steps && i < count - most; i++)
        remove_checkpoint(run, steps[i]);
    arrfree(steps);
    return true;
}
