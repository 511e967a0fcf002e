/* file.c: see file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../model/base.h"

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
            char *larger = realloc(read_so_far.bytes, room);
            if (!larger)
                die("%s does not fit into memory", name);
            read_so_far.bytes = larger;
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
        die("%s is no file but %s", path, S_ISDIR(status.st_mode) ? "a directory"
            : S_ISFIFO(status.st_mode) ? "a pipe" : "a device");
}

bool file_exists(const char *path)
{
    struct stat status;
    return !lstat(path, &status);
}

bool file_is_in(const char *directory, const char *name)
{
    char *path = saying("%s/%s", directory, name);
    const bool there = file_exists(path);
    free(path);
    return there;
}

uint64_t checksum_of(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

void checksum_text(char text[17], uint64_t checksum)
{
    snprintf(text, 17, "%016" PRIx64, checksum);
}

static bool failed(const char *what, const char *path)
{
    fprintf(stderr, "%s: cannot %s %s: %s\n", program_invocation_short_name, what, path,
            strerror(errno));
    return false;
}

bool file_begin(FileWriter *writer, const char *directory, const char *name)
{
    snprintf(writer->path, sizeof writer->path, "%s/%s", directory, name);
    if (snprintf(writer->beside, sizeof writer->beside, "%s/.%s.new", directory, name) >=
        (int)sizeof writer->beside) {
        errno = ENAMETOOLONG; /* cut short it would be another file's name */
        return failed("write", writer->path);
    }
    writer->stream = fopen(writer->beside, "wbe");
    return writer->stream || failed("write", writer->path);
}

bool file_begin_at(FileWriter *writer, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = !slash ? saying(".") : slash == path ? saying("/.")
                             : saying("%.*s", (int)(slash - path), path);
    const bool good = file_begin(writer, directory, slash ? slash + 1 : path);
    free(directory);
    return good;
}

/* A rename is safe on the disk when its directory is. */
static bool directory_sync(const char *path_inside)
{
    char directory[4096];
    snprintf(directory, sizeof directory, "%s", path_inside);
    *strrchr(directory, '/') = 0;
    const int handle = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return failed("open", directory);
    const bool good = !fsync(handle);
    if (!good)
        failed("sync", directory);
    close(handle);
    return good;
}

bool file_commit(FileWriter *writer)
{
    const bool written = !ferror(writer->stream) && !fflush(writer->stream) &&
                         !fsync(fileno(writer->stream));
    if (!written)
        failed("write", writer->path);
    const bool closed = !fclose(writer->stream);
    if (written && !closed)
        failed("write", writer->path);
    if (!written || !closed) {
        unlink(writer->beside);
        return false;
    }
    if (rename(writer->beside, writer->path)) {
        failed("write", writer->path);
        unlink(writer->beside);
        return false;
    }
    return directory_sync(writer->path);
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
        if (mkdir(part, 0777) && errno != EEXIST)
            die("cannot make the directory %s: %s", part, strerror(errno));
        if (!kept)
            return;
        *slash = kept;
    }
}
