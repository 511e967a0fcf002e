/* linux.c: Linux with the GNU C library. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Terminal ---- */

int system_columns(int file)
{
    struct winsize size;
    return ioctl(file, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int system_rows(int file)
{
    struct winsize size;
    return ioctl(file, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

/* ---- Signals ---- */

_Static_assert(sizeof(sigset_t) <= sizeof(Signals), "signals");

void signals_hold(Signals *before, bool all)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t set;
    sigemptyset(&set);
    if (all)
        sigfillset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&set, ending[i]);
    pthread_sigmask(SIG_BLOCK, &set, (sigset_t *)before);
}

void signals_release(const Signals *before)
{
    pthread_sigmask(SIG_SETMASK, (const sigset_t *)before, NULL);
}

SignalHandler *signal_catch(int number, SignalHandler *handler, bool once, bool ends_reads)
{
    const struct sigaction noting = {.sa_handler = handler,
                                     .sa_flags = (once ? (int)SA_RESETHAND : 0) |
                                                 (ends_reads ? 0 : SA_RESTART)};
    struct sigaction before;
    return sigaction(number, &noting, &before) ? SIG_DFL : before.sa_handler;
}

/* ---- Processes ---- */

bool system_apart(bool task(void *), void *argument, int *signal)
{
    int status = 0;
    fflush(stdout); /* what waits to be printed would be printed twice */
    const pid_t child = fork();
    *signal = child < 0 ? -1 : 0;
    if (child < 0)
        return false;
    if (!child)
        exit(task(argument) ? 0 : 1);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        *signal = WTERMSIG(status);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ---- Files ---- */

int system_duplicate(int file)
{
    return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

int system_open_directory(const char *path)
{
    const int handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return handle >= 0 || errno != EACCES ? handle : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

char *system_real_path(const char *path)
{
    return realpath(path, NULL);
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

/* f_bavail counts the free blocks, of f_frsize bytes, that users other than root may take. */
double system_room(int directory)
{
    struct statvfs status;
    return fstatvfs(directory, &status) ? (double)INFINITY
                                        : (double)status.f_bavail * (double)status.f_frsize;
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

double system_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool system_renew(void *pages, size_t bytes)
{
    return !madvise(pages, bytes, MADV_DONTNEED);
}

void system_use_large_pages(void *pages, size_t bytes, bool large)
{
    madvise(pages, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

/* ---- Sorting ---- */

void system_sort(void *list, size_t count, size_t size,
                 int (*compare)(const void *, const void *, void *), void *context)
{
    qsort_r(list, count, size, compare, context);
}
