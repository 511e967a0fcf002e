/* directory.c: a handle is an ordinary file descriptor of the directory. openat() and the like take
 * names relative to it. flock() on it is the lock, which the system releases when the process ends,
 * however it ends. */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/system/system.h"

Directory directory_open(const char *path)
{
    const int handle = system_open_directory(path);
    if (handle < 0)
        die("cannot open %s: %s", path, reason(errno));
    return (Directory){handle, format_text("%s", path)};
}

void directory_close(Directory *directory)
{
    close(directory->handle);
    free(directory->path);
}

bool directory_enter(Directory *inner, const Directory *outer, const char *name)
{
    inner->handle = openat(outer->handle, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner->handle < 0)
        return false;
    inner->path = path_in(outer, name);
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
    const int error = system_lock(directory->handle);
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
