/* unix.c: what Linux and macOS have in common. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
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

char *system_real_path(const char *path)
{
    return realpath(path, NULL);
}

/* f_bavail counts the free blocks, of f_frsize bytes, that users other than root may take. */
double system_room(int directory)
{
    struct statvfs status;
    return fstatvfs(directory, &status) ? (double)INFINITY
                                        : (double)status.f_bavail * (double)status.f_frsize;
}

/* ---- Memory ---- */

double system_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
