/* checkpoint.c: see checkpoint.h. */
#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"

static const char LOG[] = "log.csv";

const char *const RUN_FILES[] = {
    "state.safetensors",     "model.safetensors", LOG,           "tokenizer.json",
    "tokenizer_config.json", "text.txt",          "config.json", NULL};

/* ---- Which there are ---- */

static bool is_run_file(const char *name)
{
    for (const char *const *file = RUN_FILES; *file; file++)
        if (!strcmp(name, *file))
            return true;
    return false;
}

/* The step of a "checkpoint-STEP" as it is written here, else -1. */
static int64_t step_of(const char *name)
{
    static const char prefix[] = "checkpoint-";
    const size_t length = sizeof prefix - 1;
    if (strncmp(name, prefix, length) || name[length] < '0' || name[length] > '9')
        return -1;
    char *end;
    const int64_t step = strtoll(name + length, &end, 10);
    return *end ? -1 : step;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* NULL where there is none, or where it cannot be read, which is said: but for what keeps everybody
 * out, since writing there fails next, and one line is enough. */
static DIR *open_list(const char *directory)
{
    DIR *list = opendir(directory);
    if (!list && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG && errno != EACCES)
        file_failed("read", directory);
    return list;
}

/* The steps of all checkpoints, growing: an stb_ds array. */
static int64_t *steps_kept(const char *directory)
{
    int64_t *steps = NULL;
    DIR *list = open_list(directory);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (step_of(entry->d_name) >= 0)
            arrput(steps, step_of(entry->d_name));
    if (list)
        closedir(list);
    if (steps)
        qsort(steps, arrlenu(steps), sizeof *steps, by_number);
    return steps;
}

bool checkpoints_are_in(const char *directory)
{
    int64_t *steps = steps_kept(directory);
    const bool any = arrlenu(steps) > 0;
    arrfree(steps);
    return any;
}

/* ---- Removing ---- */

static bool is_directory(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISDIR(status.st_mode);
}

/* Whether a checkpoint holds nothing but what was put there, and nobody trains in it. */
static bool is_ours(const char *path)
{
    DIR *list = open_list(path);
    bool ours = list && is_directory(path);
    for (struct dirent *entry; ours && (entry = readdir(list));)
        ours = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
               is_run_file(entry->d_name);
    if (list)
        closedir(list);
    char *log = format_text("%s/%s", path, LOG);
    const int handle = open(log, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (handle >= 0) {
        ours = ours && (!flock(handle, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK);
        close(handle);
    }
    free(log);
    return ours;
}

/* Nothing behind a link is touched. */
static bool remove_files(const char *path)
{
    for (const char *const *name = RUN_FILES; is_directory(path) && *name; name++) {
        char *file = format_text("%s/%s", path, *name),
             *beside = format_text("%s/.%s.new", path, *name);
        unlink(file);
        unlink(beside);
        free(beside);
        free(file);
    }
    return !rmdir(path);
}

/* Out of sight first: half a checkpoint never has a checkpoint's name. */
static void remove_checkpoint(const char *directory, int64_t step)
{
    char *path = format_text("%s/checkpoint-%" PRId64, directory, step);
    char *hidden = format_text("%s/.checkpoint-%" PRId64 ".old", directory, step);
    if (is_ours(path)) {
        if (rename(path, hidden) || !remove_files(hidden))
            file_failed("remove", path);
    }
    free(hidden);
    free(path);
}

void checkpoints_clear(const char *directory, bool all)
{
    DIR *list = open_list(directory);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const size_t length = strlen(entry->d_name);
        const char *end = length > 4 ? entry->d_name + length - 4 : "";
        if (strncmp(entry->d_name, ".checkpoint-", 12) ||
            (strcmp(end, ".new") && strcmp(end, ".old")))
            continue;
        char *path = format_text("%s/%s", directory, entry->d_name);
        remove_files(path);
        free(path);
    }
    if (list)
        closedir(list);
    int64_t *steps = all ? steps_kept(directory) : NULL;
    for (size_t i = 0; i < arrlenu(steps); i++)
        remove_checkpoint(directory, steps[i]);
    arrfree(steps);
}

/* ---- Making ---- */

/* The first `size` bytes of a file, or all of them. */
static bool copy(const char *from, const char *directory, const char *name, size_t size)
{
    FileWriter writer;
    FILE *source = fopen(from, "rbe");
    if (!source)
        return file_failed("read", from);
    bool good = file_begin(&writer, directory, name);
    if (good) {
        char some[1 << 16];
        for (size_t got = 1; got && size; size -= got) {
            got = fread(some, 1, size < sizeof some ? size : sizeof some, source);
            fwrite(some, 1, got, writer.stream);
        }
        const bool read = !ferror(source) || file_failed("read", from);
        good = file_commit(&writer) && read;
    }
    fclose(source);
    return good;
}

static bool take(const char *directory, const char *into, const char *name, size_t log_size)
{
    const bool is_log = !strcmp(name, LOG);
    char *from = format_text("%s/%s", directory, name), *to = format_text("%s/%s", into, name);
    bool good = !is_log && !link(from, to);
    if (!good && !is_log && errno == ENOENT && !file_exists(from))
        good = !strcmp(name, "text.txt") || file_failed("read", from); /* too large for a copy */
    else if (!good) /* or the file system knows no second names */
        good = copy(from, into, name, is_log ? log_size : SIZE_MAX);
    free(to);
    free(from);
    return good;
}

static bool make(const char *directory, const char *hidden, const char *path, size_t log_size)
{
    if (mkdir(hidden, 0777))
        return file_failed("make", path);
    for (const char *const *name = RUN_FILES; *name; name++)
        if (!take(directory, hidden, *name, log_size))
            return false;
    if (!directory_sync(hidden))
        return false;
    if (rename(hidden, path))
        return file_failed("make", path);
    return directory_sync(directory);
}

bool checkpoint_keep(const char *directory, int64_t step, size_t log_size, int most, bool anew)
{
    char *hidden = format_text("%s/.checkpoint-%" PRId64 ".new", directory, step);
    char *path = format_text("%s/checkpoint-%" PRId64, directory, step);
    if (anew && file_exists(path)) /* the run was taken back to before it, and is here again */
        remove_checkpoint(directory, step);
    const bool good = (!anew && file_exists(path)) || make(directory, hidden, path, log_size);
    if (!good)
        remove_files(hidden);
    int64_t *steps = steps_kept(directory);
    size_t past = 0; /* those beyond this step come into question when the run gets there */
    while (past < arrlenu(steps) && steps[past] <= step)
        past++;
    for (size_t i = 0; good && steps && i + (size_t)most < past; i++)
        remove_checkpoint(directory, steps[i]);
    arrfree(steps);
    free(path);
    free(hidden);
    return good;
}
