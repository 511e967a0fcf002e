/* file.c: a file is replaced in five steps: write a temporary file beside it, fsync() it,
 * rename() it over the old one, fsync() the directory, close. Whoever reads meanwhile, or after
 * a kill at any moment, sees the old file or the new one, each whole; a kill leaves at most the
 * temporary file, ".NAME.0123abcd.new", which the next run in that directory removes. */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/base.h"
#include "base/system/system.h"
#include "zip.h"

/* A handle is an ordinary file descriptor of the directory. openat() and the like take
 * names relative to it. flock() on it is the lock, which the system releases when the process ends,
 * however it ends. */

Directory directory_open(const char *path)
{
    if (zip_is(path)) {
        const Bytes all = file_read(path, false);
        return (Directory){-1, format_text("%s", path),
                           zip_open(path, all.bytes, all.size, "config.json")};
    }
    const int handle = system_open_directory(path);
    if (handle < 0)
        die("cannot open %s: %s", path, reason(errno));
    return (Directory){handle, format_text("%s", path), NULL};
}

void directory_close(Directory *directory)
{
    if (directory->zip)
        zip_free(directory->zip);
    else
        close(directory->handle);
    free(directory->path);
}

bool directory_enter(Directory *inner, const Directory *outer, const char *name)
{
    inner->handle = openat(outer->handle, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner->handle < 0)
        return false;
    inner->path = path_in(outer, name);
    inner->zip = NULL;
    return true;
}

/* Syncs the directory above one that was just made: its list on the disk must have the new one. */
static void sync_above(const char *path)
{
    char *above = format_text("%s/..", path);
    const int handle = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0) {
        if (fsync(handle) && errno != EINVAL) /* see directory_sync */
            file_failed("sync", above);
        close(handle);
    }
    free(above);
}

void directory_make(const char *path)
{
    /* a/b/c is cut at one slash after the other: a, then a/b, then all of it */
    char *part = format_text("%s", path);
    for (char *slash = part + 1;; slash++) {
        slash += strcspn(slash, "/");
        const char kept = *slash;
        *slash = 0;
        if (!mkdir(part, 0777))
            sync_above(part);
        else if (errno != EEXIST)
            die("cannot make the directory %s: %s", part, reason(errno));
        if (!kept)
            break;
        *slash = kept;
    }
    free(part);
}

bool directory_is_removed(const Directory *directory)
{
    struct stat status;
    return !fstat(directory->handle, &status) && !status.st_nlink;
}

bool directory_lock(const Directory *directory)
{
    const int error = directory->zip ? 0 : system_lock(directory->handle);
    if (error == EACCES)
        die("cannot open %s: %s", directory->path, reason(error));
    if (error && error != EWOULDBLOCK)
        warn("cannot lock %s: %s; make sure that no other train writes there", directory->path,
             reason(error));
    return error != EWOULDBLOCK;
}

/* A link counts, even one that leads nowhere: its name is taken. */
bool directory_has(const Directory *directory, const char *name)
{
    struct stat status;
    if (directory->zip)
        return zip_has(directory->zip, name);
    if (!fstatat(directory->handle, name, &status, AT_SYMLINK_NOFOLLOW))
        return true;
    if (errno != ENOENT)
        die("cannot look for %s/%s: %s", directory->path, name, reason(errno));
    return false;
}

/* A file is known by its device and its number there, whatever it is called. */
bool directory_is_same(const Directory *directory, const char *name, const char *path)
{
    struct stat own, other;
    return !fstatat(directory->handle, name, &own, 0) && !stat(path, &other) &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

char **directory_names(const Directory *directory)
{
    char **names = NULL;
    if (directory->zip)
        return NULL;
    /* A new handle: reading the list moves a position, which all copies of a handle share. */
    const int handle = openat(directory->handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = handle < 0 ? NULL : fdopendir(handle);
    if (!list) {
        if (errno == ENOMEM) /* as it is for the names themselves */
            die("cannot read %s: %s", directory->path, reason(errno));
        file_failed("read", directory->path);
        return NULL;
    }
    for (struct dirent *entry; (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            arrput(names, format_text("%s", entry->d_name));
    closedir(list);
    return names;
}

void names_free(char **names)
{
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        free(names[i]);
    arrfree(names);
}

char *path_in(const Directory *directory, const char *name)
{
    return format_text("%s/%s", directory->path, name);
}

double directory_room(const Directory *directory)
{
    return system_room(directory->handle);
}

bool directory_sync(const Directory *directory)
{
    /* EINVAL: this file system cannot sync a directory */
    return !fsync(directory->handle) || errno == EINVAL || file_failed("sync", directory->path);
}

bool file_failed(const char *what, const char *path)
{
    warn("cannot %s %s: %s", translated(what), path, reason(errno));
    return false;
}

/* ---- Reading ---- */

/* In UTF-16, one of the two bytes of a Latin letter is 0, and many files begin with a byte order
 * mark: U+FEFF, with its low or its high byte first. */
void file_check_text(const char *name, const char *bytes, size_t size, size_t offset)
{
    const char *zero = memchr(bytes, 0, size);
    if (!zero)
        return;
    const size_t at = offset + (size_t)(zero - bytes);
    const int mark = !offset && at > 1 ? (unsigned char)bytes[0] << 8 | (unsigned char)bytes[1] : 0;
    const bool begins = at == 1 || (at == 0 && size > 1 && bytes[1]);
    if (mark == 0xFFFE || mark == 0xFEFF || (!offset && begins))
        die("%s looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8", name);
    die("%s is not a text: byte %zu is 0", name, at + 1);
}

/* Reads a descriptor to its end and closes it. The size that fstat() reports is only a first
 * guess: a file may grow while it is read, and a pipe or a file in /proc has size 0. */
static Bytes read_all(int file, const char *name, bool text)
{
    Bytes all = {0};
    struct stat status = {0};
    fstat(file, &status);
    size_t room = 0;
    for (;;) {
        if (room - all.size < 2) { /* for at least one more byte, and the 0 */
            const size_t first = status.st_size > 0 ? (size_t)status.st_size + 2 : 1 << 16;
            room = room ? 2 * room : first;
            memory_check((double)room, name);
            all.bytes = memory_resize(all.bytes, room);
        }
        char *end = all.bytes + all.size;
        const ssize_t got = read(file, end, room - all.size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            die("cannot read %s: %s", name, reason(errno));
        if (got == 0)
            break;
        if (text)
            file_check_text(name, end, (size_t)got, all.size);
        all.size += (size_t)got;
    }
    all.bytes[all.size] = 0;
    close(file);
    return all;
}

Bytes file_read(const char *path, bool text)
{
    const bool standard = !strcmp(path, "-");
    const int file = standard ? system_duplicate(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    const char *name = standard ? _("standard input") : path;
    if (file < 0)
        die("cannot open %s: %s", name, reason(errno));
    return read_all(file, name, text);
}

size_t file_peek(const char *path, char *bytes, size_t size)
{
    struct stat status;
    FILE *file = !stat(path, &status) && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    const size_t got = file ? fread(bytes, 1, size, file) : 0;
    if (file)
        fclose(file);
    return got;
}

bool file_is_ours(const char *path, const char *begin)
{
    char bytes[64];
    const size_t length = strlen(begin), size = file_peek(path, bytes, length);
    return !size || (size == length && !memcmp(bytes, begin, length));
}

int file_open_in(const Directory *directory, const char *name, size_t *size)
{
    if (directory->zip)
        return zip_file(directory->zip, name, size);
    /* O_NONBLOCK: a pipe is opened at once, and then seen to be one. */
    const int file = openat(directory->handle, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ENOENT && !directory_has(directory, name))
        die("%s has no %s", directory->path, name);
    char *path = path_in(directory, name);
    struct stat status;
    if (file < 0 || fstat(file, &status))
        die("cannot open %s: %s", path, reason(errno));
    if (!S_ISREG(status.st_mode))
        die(S_ISDIR(status.st_mode)    ? N_("%s is a directory, not a file")
            : S_ISFIFO(status.st_mode) ? N_("%s is a pipe, not a file")
                                       : N_("%s is a device, not a file"),
            path);
    free(path);
    *size = (size_t)status.st_size;
    return file;
}

Bytes file_read_in(const Directory *directory, const char *name, bool text)
{
    size_t size;
    const int file = file_open_in(directory, name, &size);
    char *path = path_in(directory, name);
    const Bytes all = read_all(file, path, text);
    free(path);
    return all;
}

bool file_read_at(int file, void *bytes, size_t size, size_t offset)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* ---- Replacing ---- */

/* A temporary name is "." NAME "." eight hexadecimal digits ".new". */
static const char TEMPORARY[] = ".%.200s.%08x.new";

/* The last part of a path. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Opens writer->temporary. O_EXCL refuses a name that is taken, so two processes that write the
 * same file at once use different ones. A long name is cut: 255 bytes are allowed. */
static bool open_temporary(FileWriter *writer)
{
    unsigned number = (unsigned)getpid();
    int file;
    do {
        free(writer->temporary);
        writer->temporary = format_text(TEMPORARY, name_in(writer->path), number++);
        file = openat(writer->directory, writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      0666);
    } while (file < 0 && errno == EEXIST);
    writer->stream = file < 0 ? NULL : fdopen(file, "wb");
    return writer->stream != NULL;
}

/* Undoes what begin() has done. */
static void end(FileWriter *writer)
{
    if (writer->stream)
        fclose(writer->stream);
    if (writer->directory >= 0)
        close(writer->directory);
    free(writer->path);
    free(writer->temporary);
    signals_release(&writer->signals);
}

/* Opens the stream of a writer that has a path and, unless its file is written in place, a
 * directory. The signals that would end the program are held back until end(). */
static bool begin(FileWriter *writer, bool in_place)
{
    signals_hold(&writer->signals, false);
    if (in_place)
        writer->stream = fopen(writer->path, "wbe");
    else if (writer->directory >= 0)
        open_temporary(writer);
    if (writer->stream)
        return true;
    file_failed("write", writer->path);
    end(writer);
    return false;
}

bool file_begin(FileWriter *writer, const Directory *directory, const char *name)
{
    *writer = (FileWriter){.path = path_in(directory, name),
                           .directory = system_duplicate(directory->handle)};
    return begin(writer, false);
}

bool file_begin_at(FileWriter *writer, const char *path)
{
    struct stat status;
    const bool in_place =
        !stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    char *folder = format_text("%.*s.", (int)(name_in(path) - path), path);
    *writer = (FileWriter){.path = format_text("%s", path),
                           .directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    free(folder);
    return begin(writer, in_place);
}

/* In this order: all bytes to the system, to the disk, the new name, the name to the disk. If one
 * of the first three fails, the old file is still there and the temporary one is removed. */
bool file_commit(FileWriter *writer)
{
    const char *temporary = writer->temporary;
    bool good = !fflush(writer->stream) && !ferror(writer->stream);
    if (good && temporary)
        good = !fsync(fileno(writer->stream)) &&
               !renameat(writer->directory, temporary, writer->directory, name_in(writer->path));
    if (!good) {
        file_failed("write", writer->path);
        if (temporary)
            unlinkat(writer->directory, temporary, 0);
    } else if (temporary) {
        good = directory_sync(&(Directory){.handle = writer->directory, .path = writer->path});
    }
    end(writer);
    return good;
}

bool file_replace(const Directory *directory, const char *name, const void *bytes, size_t size)
{
    FileWriter writer;
    if (!file_begin(&writer, directory, name))
        return false;
    if (size) /* of no bytes there may be no address */
        fwrite(bytes, 1, size, writer.stream);
    return file_commit(&writer);
}

/* A link replaces no file, but a new name does. If the file has the name already, renaming does
 * nothing, and the temporary name is removed. */
bool file_link(int file, const Directory *directory, const char *name)
{
    char *temporary = NULL;
    unsigned number = (unsigned)getpid();
    bool named;
    do {
        free(temporary);
        temporary = format_text(TEMPORARY, name, number++);
        named = system_name_file(file, directory->handle, temporary);
    } while (!named && errno == EEXIST);
    const bool good = named && !renameat(directory->handle, temporary, directory->handle, name);
    if (named)
        unlinkat(directory->handle, temporary, 0);
    free(temporary);
    return good && directory_sync(directory);
}

/* Whether a file has a temporary name of the file called `name`. */
static bool is_temporary(const char *file, const char *name)
{
    char *begin = format_text(".%.200s.", name);
    const size_t length = strlen(begin);
    const bool begins = !strncmp(file, begin, length);
    free(begin);
    return begins && strspn(file + length, "0123456789abcdef") == 8 &&
           !strcmp(file + length + 8, ".new");
}

void file_remove_leftovers(const Directory *directory, const char *const *names)
{
    char **all = directory_names(directory);
    for (const char *const *name = names; *name; name++)
        for (ptrdiff_t i = 0; i < arrlen(all); i++)
            if (is_temporary(all[i], *name))
                unlinkat(directory->handle, all[i], 0);
    names_free(all);
}

/* XXH3 from the xxHash library. In a checksum of several pieces, the result so far is
 * the seed for the next piece. */

uint64_t checksum_of(const void *bytes, size_t size)
{
    return checksum_continue(0, bytes, size);
}

uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, before);
}

Checksum *checksum_begin(uint64_t before)
{
    Checksum *checksum = XXH3_createState();
    if (!checksum)
        die("no memory for a checksum");
    XXH3_64bits_reset_withSeed(checksum, before);
    return checksum;
}

void checksum_add(Checksum *checksum, const void *bytes, size_t size)
{
    XXH3_64bits_update(checksum, bytes, size);
}

uint64_t checksum_end(Checksum *checksum)
{
    const uint64_t result = XXH3_64bits_digest(checksum);
    XXH3_freeState(checksum);
    return result;
}

Hex checksum_hex(uint64_t checksum)
{
    Hex hex;
    snprintf(hex.text, sizeof hex.text, "%016" PRIx64, checksum);
    return hex;
}
