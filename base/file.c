/* file.c: see file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include "base.h"

Bytes file_read(const char *path, bool text)
{
    const bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    const int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        die("cannot open %s: %s", name, strerror(errno));

    Bytes read_so_far = {0};
    struct stat status;
    const bool sized = !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0;
    size_t room = 0;
    for (;;) {
        if (room - read_so_far.size < 2) {
            room = room ? 2 * room : sized ? (size_t)status.st_size + 2 : 1 << 16;
            memory_check((double)room, name);
            read_so_far.bytes = memory_resize(read_so_far.bytes, room);
        }
        char *end = read_so_far.bytes + read_so_far.size;
        const ssize_t got = read(file, end, room - read_so_far.size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            die("cannot read %s: %s", name, strerror(errno));
        if (got == 0)
            break;
        if (text && memchr(end, 0, (size_t)got))
            die("%s is not a text: byte %zu is 0", name,
                read_so_far.size + (size_t)((char *)memchr(end, 0, (size_t)got) - end) + 1);
        read_so_far.size += (size_t)got;
    }
    read_so_far.bytes[read_so_far.size] = 0;
    if (!standard)
        close(file);
    return read_so_far;
}

void file_must_be_plain(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        die("cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        die("%s is no file but %s", path,
            S_ISDIR(status.st_mode)    ? "a directory"
            : S_ISFIFO(status.st_mode) ? "a pipe"
                                       : "a device");
}

bool file_exists(const char *path)
{
    struct stat status;
    return !lstat(path, &status);
}

bool file_is_in(const char *directory, const char *name)
{
    char *path = format_text("%s/%s", directory, name);
    const bool there = file_exists(path);
    if (!there && errno != ENOENT && errno != ENOTDIR) /* it may be there */
        die("cannot look for %s: %s", path, strerror(errno));
    free(path);
    return there;
}

uint64_t checksum_of(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, before);
}

void checksum_hex(char text[17], uint64_t checksum)
{
    snprintf(text, 17, "%016" PRIx64, checksum);
}

bool file_failed(const char *what, const char *path)
{
    warn("cannot %s %s: %s", what, path, strerror(errno));
    return false;
}

bool file_begin(FileWriter *writer, const char *directory, const char *name)
{
    snprintf(writer->path, sizeof writer->path, "%s/%s", directory, name);
    if (snprintf(writer->beside, sizeof writer->beside, "%s/.%s.new", directory, name) >=
        (int)sizeof writer->beside) {
        errno = ENAMETOOLONG; /* cut short it would be another file's name */
        return file_failed("write", writer->path);
    }
    /* What a kill left there goes; a link that somebody put there is not followed. */
    unlink(writer->beside);
    const int file = open(writer->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    writer->stream = file < 0 ? NULL : fdopen(file, "wb");
    return writer->stream || file_failed("write", writer->path);
}

/* Of a file's or a directory's path, the directory that it is in. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash          ? format_text(".")
           : slash == path ? format_text("/.")
                           : format_text("%.*s", (int)(slash - path), path);
}

bool file_begin_at(FileWriter *writer, const char *path)
{
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        /* A device or a pipe is written to; it must not be replaced by a file. */
        snprintf(writer->path, sizeof writer->path, "%s", path);
        *writer->beside = 0;
        writer->stream = fopen(path, "wbe");
        return writer->stream || file_failed("write", path);
    }
    const char *slash = strrchr(path, '/');
    char *directory = directory_of(path);
    const bool good = file_begin(writer, directory, slash ? slash + 1 : path);
    free(directory);
    return good;
}

bool directory_sync(const char *path)
{
    const int handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return file_failed("open", path);
    const bool good = !fsync(handle) || errno == EINVAL; /* some file systems have nothing to do */
    if (!good)
        file_failed("sync", path);
    close(handle);
    return good;
}

static bool sync_around(const char *path)
{
    char *directory = directory_of(path);
    const bool good = directory_sync(directory);
    free(directory);
    return good;
}

bool file_commit(FileWriter *writer)
{
    const bool beside = *writer->beside;
    const bool written = !ferror(writer->stream) && !fflush(writer->stream) &&
                         (!beside || !fsync(fileno(writer->stream)));
    if (!written)
        file_failed("write", writer->path);
    const bool closed = !fclose(writer->stream);
    if (written && !closed)
        file_failed("write", writer->path);
    if (!written || !closed) {
        unlink(writer->beside);
        return false;
    }
    if (!beside)
        return true;
    if (rename(writer->beside, writer->path)) {
        file_failed("write", writer->path);
        unlink(writer->beside);
        return false;
    }
    return sync_around(writer->path); /* before that the rename is not safe on the disk */
}

bool file_replace(const char *directory, const char *name, const void *bytes, size_t size)
{
    FileWriter writer;
    if (!file_begin(&writer, directory, name))
        return false;
    fwrite(bytes, 1, size, writer.stream);
    return file_commit(&writer);
}

void directory_make(const char *path)
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        die("cannot make a directory whose name has %zu bytes", strlen(path));
    for (char *slash = part + 1;; slash++) {
        slash += strcspn(slash, "/");
        const char kept = *slash;
        *slash = 0;
        if (!mkdir(part, 0777))
            sync_around(part);
        else if (errno != EEXIST)
            die("cannot make the directory %s: %s", part, strerror(errno));
        if (!kept)
            return;
        *slash = kept;
    }
}

double directory_room(const char *path)
{
    struct statvfs status;
    return statvfs(path, &status) ? (double)INFINITY
                                  : (double)status.f_bavail * (double)status.f_frsize;
}
