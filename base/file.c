/* file.c: a file is replaced by writing a temporary file with a random name in the same directory,
 * fsync() of it, rename() over the old one, and fsync() of the directory: whoever reads meanwhile,
 * or after a kill, sees the old file or the new one, each whole. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

/* ---- Reading ---- */

/* Why bytes with a 0 among them are not a text. In UTF-16, which often begins with a byte order
 * mark, every second byte of most letters is 0. */
static _Noreturn void die_of_zero(const char *name, const char *bytes, size_t size, size_t zero)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const bool marked =
        zero > 1 && ((at[0] == 0xFF && at[1] == 0xFE) || (at[0] == 0xFE && at[1] == 0xFF));
    if (marked || (zero == 1 && at[0]) || (zero == 0 && size > 1 && at[1]))
        die("%s looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8", name);
    die("%s is not a text: byte %zu is 0", name, zero + 1);
}

/* Reads a descriptor to its end and closes it. */
static Bytes read_all(int file, const char *name, bool text)
{
    Bytes all = {0};
    struct stat status;
    /* A file's size is only a first guess: it may grow while it is read, and those in /proc have
     * size 0. */
    const bool sized = !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0;
    size_t room = 0;
    for (;;) {
        if (room - all.size < 2) { /* for one byte more, and the 0 */
            room = room ? 2 * room : sized ? (size_t)status.st_size + 2 : 1 << 16;
            memory_check((double)room, name);
            all.bytes = memory_resize(all.bytes, room);
        }
        char *end = all.bytes + all.size;
        const ssize_t got = read(file, end, room - all.size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            die("cannot read %s: %s", name, strerror(errno));
        if (got == 0)
            break;
        const char *zero = text ? memchr(end, 0, (size_t)got) : NULL;
        if (zero)
            die_of_zero(name, all.bytes, all.size + (size_t)got, (size_t)(zero - all.bytes));
        all.size += (size_t)got;
    }
    all.bytes[all.size] = 0;
    close(file);
    return all;
}

Bytes file_read(const char *path, bool text)
{
    const bool standard = !strcmp(path, "-");
    const int file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    const char *name = standard ? "standard input" : path;
    if (file < 0)
        die("cannot open %s: %s", name, strerror(errno));
    return read_all(file, name, text);
}

Bytes file_read_in(const Directory *directory, const char *name, bool text)
{
    /* O_NONBLOCK: a pipe is opened at once, and then seen to be one. */
    const int file = openat(directory->handle, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ENOENT && !directory_has(directory, name))
        die("%s has no %s", directory->path, name);
    char *path = path_in(directory, name);
    struct stat status;
    if (file < 0 || fstat(file, &status))
        die("cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        die("%s is %s, not a file", path,
            S_ISDIR(status.st_mode)    ? "a directory"
            : S_ISFIFO(status.st_mode) ? "a pipe"
                                       : "a device");
    const Bytes all = read_all(file, path, text);
    free(path);
    return all;
}

/* ---- Replacing ---- */

static const char TEMPORARY[] = ".new"; /* how a temporary name ends */

/* Undoes what begin did, except for the stream. */
static void end(FileWriter *writer)
{
    if (writer->blocking)
        sigprocmask(SIG_SETMASK, &writer->signals, NULL);
    if (writer->directory >= 0)
        close(writer->directory);
    free(writer->path);
    free(writer->name);
    free(writer->temporary);
}

/* Opens writer->temporary, under a name that nothing else has: two processes that write the same
 * file at once do not meet. A long name is cut, so that the temporary one is not too long. */
static bool open_temporary(FileWriter *writer)
{
    int file;
    do {
        uint32_t random;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
            return false;
        free(writer->temporary);
        writer->temporary = format_text(".%.200s.%08" PRIx32 "%s", writer->name, random, TEMPORARY);
        file = openat(writer->directory, writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      0666);
    } while (file < 0 && errno == EEXIST);
    writer->stream = file < 0 ? NULL : fdopen(file, "wb");
    return writer->stream != NULL;
}

static bool begin(FileWriter *writer)
{
    if (writer->directory >= 0 && open_temporary(writer))
        return true;
    file_failed("write", writer->path);
    end(writer);
    return false;
}

bool file_begin(FileWriter *writer, const Directory *directory, const char *name)
{
    *writer = (FileWriter){.path = path_in(directory, name),
                           .name = format_text("%s", name),
                           .directory = fcntl(directory->handle, F_DUPFD_CLOEXEC, 0)};
    return begin(writer);
}

/* A path's directory, opened. */
static int open_directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = format_text("%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
    const int handle = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    return handle;
}

/* Holds back the signals that would end the program between begin and commit. */
static void block_signals(FileWriter *writer)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&set, ending[i]);
    writer->blocking = !sigprocmask(SIG_BLOCK, &set, &writer->signals);
}

bool file_begin_at(FileWriter *writer, const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    *writer = (FileWriter){.path = format_text("%s", path),
                           .name = format_text("%s", slash ? slash + 1 : path),
                           .directory = -1};
    if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        writer->stream = fopen(path, "wbe");
        if (writer->stream)
            return true;
        file_failed("write", path);
        end(writer);
        return false;
    }
    writer->directory = open_directory_of(path);
    block_signals(writer);
    return begin(writer);
}

/* Only when the directory is synced is a new name safe on the disk. */
static bool sync_name(const FileWriter *writer)
{
    /* EINVAL: a file system that has nothing to do */
    return !fsync(writer->directory) || errno == EINVAL || file_failed("write", writer->path);
}

/* In this order: all bytes to the system, to the disk, the new name, the name to the disk. If a
 * step fails, the old file is still there and the temporary one goes. */
bool file_commit(FileWriter *writer)
{
    const bool replaces = writer->temporary != NULL;
    bool good = !ferror(writer->stream) && !fflush(writer->stream) &&
                (!replaces || !fsync(fileno(writer->stream)));
    const int reason = errno;
    const bool closed = !fclose(writer->stream);
    if (!good)
        errno = reason;
    good = good && closed &&
           (!replaces ||
            !renameat(writer->directory, writer->temporary, writer->directory, writer->name));
    if (!good) {
        file_failed("write", writer->path);
        if (replaces)
            unlinkat(writer->directory, writer->temporary, 0);
    } else if (replaces) {
        good = sync_name(writer);
    }
    end(writer);
    return good;
}

bool file_replace(const Directory *directory, const char *name, const void *bytes, size_t size)
{
    FileWriter writer;
    if (!file_begin(&writer, directory, name))
        return false;
    fwrite(bytes, 1, size, writer.stream);
    return file_commit(&writer);
}

/* Whether a name is one that open_temporary has made for this file. */
static bool is_temporary(const char *temporary, const char *name)
{
    const size_t length = strlen(name);
    return temporary[0] == '.' && !strncmp(temporary + 1, name, length) &&
           temporary[1 + length] == '.' &&
           strspn(temporary + 2 + length, "0123456789abcdef") == 8 &&
           !strcmp(temporary + 2 + length + 8, TEMPORARY);
}

void file_remove_leftovers(const Directory *directory, const char *const *names)
{
    char **all = directory_names(directory);
    for (ptrdiff_t i = 0; i < arrlen(all); i++)
        for (const char *const *name = names; *name; name++)
            if (is_temporary(all[i], *name))
                unlinkat(directory->handle, all[i], 0);
    names_free(all);
}
