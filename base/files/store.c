/* store.c: a file is written by write(), which reports a full disk, and mapped only to be read. It
 * is made without a name (O_TMPFILE) and linked into its directory when it is whole. A file system
 * without such files gets one whose name is removed at once; to be kept, that one is copied. */
#include "store.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/system/system.h"
#include "file.h"

Store store_in_memory(void)
{
    return (Store){.file = -1};
}

/* The path itself or, if it does not exist, the folder above it, and so on: what will be made there
 * is on the same file system. The caller frees it. */
static char *existing(const char *path)
{
    char *folder = format_text("%s", path);
    while (access(folder, F_OK)) {
        char *slash = strrchr(folder, '/');
        if (!slash) {
            free(folder);
            return format_text(".");
        }
        slash[slash == folder] = 0; /* "/" stays */
    }
    return folder;
}

Store store_in_file(const char *folder, const char *name)
{
    Store store = {.path = format_text("%s/%s", folder, name)};
    char *there = existing(folder);
    store.file = system_unnamed_file(there);
    if (store.file < 0)
        die("cannot write %s: %s", store.path, reason(errno));
    free(there);
    return store;
}

Store store_in_temporary_file(const char *name)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/var/tmp";
    else if (access(folder, W_OK))
        die("cannot write to TMPDIR=%s: %s", folder, reason(errno));
    return store_in_file(folder, name);
}

static struct timespec time_written(const Store *store)
{
    struct stat status = {0};
    fstat(store->file, &status);
    return status.st_mtim;
}

Store store_open(const Directory *directory, const char *name)
{
    Store store = {.path = path_in(directory, name)};
    store.file = file_open_in(directory, name, &store.size);
    store.written = time_written(&store);
    return store;
}

static void unmap(Store *store)
{
    if (store->room)
        munmap(store->at, store->room);
    store->at = NULL;
    store->room = 0;
}

void store_free(Store *store)
{
    if (store->file < 0) {
        free(store->at);
        return;
    }
    unmap(store);
    close(store->file);
    free(store->path);
}

/* Returns false with errno set if the disk is full. */
static bool write_at(const Store *store, size_t offset, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t done = pwrite(store->file, bytes, size, (off_t)offset);
        if (done < 0 && errno != EINTR)
            return false;
        if (done < 0)
            continue;
        bytes += done;
        offset += (size_t)done;
        size -= (size_t)done;
    }
    return true;
}

void store_put(Store *store, const void *bytes, size_t size)
{
    if (!size)
        return;
    if (store->file >= 0) {
        if (!write_at(store, store->size, bytes, size))
            die("cannot write %s: %s", store->path, reason(errno));
    } else {
        if (store->room - store->size < size) {
            store->room = 2 * store->room + size;
            store->at = memory_resize(store->at, store->room);
        }
        memcpy(store->at + store->size, bytes, size);
    }
    store->size += size;
}

bool store_set(Store *store, size_t offset, const void *bytes, size_t size)
{
    if (store->file < 0)
        memcpy(store->at + offset, bytes, size);
    else if (!write_at(store, offset, bytes, size))
        return file_failed("write", store->path);
    return true;
}

const char *store_view(Store *store)
{
    if (store->file < 0 || store->room == store->size) /* an empty file cannot be mapped */
        return store->at;
    unmap(store);
    store->at = mmap(NULL, store->size, PROT_READ, MAP_SHARED, store->file, 0);
    if (store->at == MAP_FAILED)
        die("cannot map %s into memory: %s", store->path, reason(errno));
    store->room = store->size;
    return store->at;
}

bool store_read(const Store *store, const void *from, void *to, size_t size)
{
    if (store->file >= 0)
        return file_read_at(store->file, to, size, (size_t)((const char *)from - store->at));
    memcpy(to, from, size);
    return true;
}

bool store_is_changed(const Store *store)
{
    const struct timespec now = time_written(store), then = store->written;
    return now.tv_sec != then.tv_sec || now.tv_nsec != then.tv_nsec;
}

bool store_keep(Store *store, const Directory *directory, const char *name)
{
    if (store->file < 0)
        return file_replace(directory, name, store->at, store->size);
    free(store->path);
    store->path = path_in(directory, name);
    if (fsync(store->file))
        return file_failed("write", store->path);
    store->written = time_written(store);
    return file_link(store->file, directory, name) ||
           file_replace(directory, name, store_view(store), store->size);
}
