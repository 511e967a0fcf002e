/* linux.c: Linux with the GNU C library, beside unix.c. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Files ---- */

int system_open_directory(const char *path)
{
    const int handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return handle >= 0 || errno != EACCES ? handle : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

char *system_program(void)
{
    return system_real_path("/proc/self/exe");
}

int system_lock(int directory)
{
    if (fcntl(directory, F_GETFL) & O_PATH) /* it was opened without permission */
        return EACCES;
    return flock(directory, LOCK_EX | LOCK_NB) ? errno : 0;
}

/* A file system that cannot make files without a name makes one that loses its name at once. */
int system_unnamed_file(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    char *name;
    if (file >= 0 || asprintf(&name, "%s/.pulga-XXXXXX", folder) < 0)
        return file;
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    free(name);
    return file;
}

int system_memory_file(void)
{
    return memfd_create("pulga", MFD_CLOEXEC);
}

bool system_name_file(int file, int directory, const char *name)
{
    char itself[64];
    snprintf(itself, sizeof itself, "/proc/self/fd/%d", file);
    return !linkat(AT_FDCWD, itself, directory, name, AT_SYMLINK_FOLLOW);
}

/* ---- Memory ---- */

bool system_renew(void *pages, size_t bytes)
{
    return !madvise(pages, bytes, MADV_DONTNEED);
}

void system_trim(void)
{
    malloc_trim(0);
}

void system_use_large_pages(void *pages, size_t bytes)
{
    madvise(pages, bytes, MADV_HUGEPAGE);
}
