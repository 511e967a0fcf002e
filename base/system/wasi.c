/* wasi.c: WebAssembly, where one program runs in one thread, in a page or inside another program.
 * Nobody sends it signals or locks its directories. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>

/* ---- Terminal ---- */

int system_columns(int file)
{
    (void)file;
    return 0;
}

int system_rows(int file)
{
    (void)file;
    return 0;
}

/* ---- Signals ---- */

void signals_hold(Signals *before, bool all)
{
    (void)before, (void)all;
}

void signals_release(const Signals *before)
{
    (void)before;
}

SignalHandler *signal_catch(int number, SignalHandler *handler, bool once, bool ends_reads)
{
    (void)number, (void)handler, (void)once, (void)ends_reads;
    return SIG_DFL;
}

/* ---- Files ---- */

/* Takes the place of the C library's. wasmtime says EBADF of what was opened for reading, as every
 * directory is; there is nothing to write then. */
int fsync(int file)
{
    const __wasi_errno_t error = __wasi_fd_sync((__wasi_fd_t)file);
    errno = error;
    return error && error != __WASI_ERRNO_BADF ? -1 : 0;
}

/* A directory is opened again; standard input has no other name, unless a directory has its
 * number, as it was closed. */
int system_duplicate(int file)
{
    const int copy = openat(file, ".", O_RDONLY | O_DIRECTORY);
    return copy < 0 && file == STDIN_FILENO ? file : copy;
}

int system_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY);
}

char *system_real_path(const char *path)
{
    return strdup(path);
}

char *system_program(void)
{
    return NULL;
}

int system_lock(int directory)
{
    (void)directory;
    return 0;
}

double system_room(int directory)
{
    (void)directory;
    return (double)INFINITY;
}

/* A file that loses its name at once. */
int system_unnamed_file(const char *folder)
{
    char name[4096];
    int file = -1, number = 0;
    do {
        snprintf(name, sizeof name, "%s/.pulga-%d", folder, number++);
        file = open(name, O_RDWR | O_CREAT | O_EXCL, 0666);
    } while (file < 0 && errno == EEXIST);
    if (file >= 0)
        unlink(name);
    return file;
}

int system_memory_file(void)
{
    const char *folder = getenv("TMPDIR");
    return system_unnamed_file(folder ? folder : ".");
}

bool system_name_file(int file, int directory, const char *name)
{
    (void)file, (void)directory, (void)name;
    errno = ENOTSUP;
    return false;
}

/* ---- Memory ---- */

/* A page has 4 GB at most. */
double system_memory(void)
{
    return 0x1p32;
}

bool system_renew(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
    return false;
}

void system_trim(void)
{
}

void system_use_large_pages(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}
