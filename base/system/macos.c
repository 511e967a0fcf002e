/* macos.c: macOS, beside unix.c; and what macos.h declares. Nobody has run it yet. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/sysctl.h>
#include <unistd.h>

/* ---- What GNU's C library has ---- */

static void (*last_task)(int, void *);
static void *last_argument;

static void at_end(void)
{
    last_task(0, last_argument);
}

/* The status is not known here: the task is told 0. */
void on_exit(void (*task)(int, void *), void *argument)
{
    last_task = task;
    last_argument = argument;
    atexit(at_end);
}

/* funopen() has the same, but sizes that are ints. */
typedef struct {
    void *cookie;
    cookie_io_functions_t functions;
} Cookie;

static int cookie_write(void *own, const char *bytes, int size)
{
    const Cookie *c = own;
    return (int)c->functions.write(c->cookie, bytes, (size_t)size);
}

static int cookie_close(void *own)
{
    Cookie *c = own;
    const int failed = c->functions.close(c->cookie);
    free(c);
    return failed;
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    Cookie *c = malloc(sizeof *c);
    (void)mode; /* it is "w" */
    if (!c)
        return NULL;
    *c = (Cookie){cookie, functions};
    return funopen(c, NULL, cookie_write, NULL, cookie_close);
}

/* ---- Kernels ---- */

#ifdef __x86_64__
/* What __builtin_cpu_supports() reads; zig leaves it empty. */
extern struct {
    unsigned vendor, type, subtype, features;
} __cpu_model;

__attribute__((constructor)) static void find_features(void)
{
    static const struct {
        const char *name;
        int bit;
    } FEATURES[] = {{"hw.optional.avx2_0", 10},   {"hw.optional.fma", 14},
                    {"hw.optional.avx512f", 15},  {"hw.optional.avx512vl", 20},
                    {"hw.optional.avx512bw", 21}, {"hw.optional.avx512dq", 22}};
    for (size_t i = 0; i < sizeof FEATURES / sizeof *FEATURES; i++) {
        int there = 0;
        size_t size = sizeof there;
        sysctlbyname(FEATURES[i].name, &there, &size, NULL, 0);
        __cpu_model.features |= (unsigned)!!there << FEATURES[i].bit;
    }
}
#endif

/* ---- Files ---- */

int system_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

char *system_program(void)
{
    char path[4096];
    uint32_t size = sizeof path;
    return _NSGetExecutablePath(path, &size) ? NULL : system_real_path(path);
}

int system_lock(int directory)
{
    return flock(directory, LOCK_EX | LOCK_NB) ? errno : 0;
}

/* A file that loses its name at once. */
int system_unnamed_file(const char *folder)
{
    char *name;
    if (asprintf(&name, "%s/.pulga-XXXXXX", folder) < 0)
        return -1;
    const int file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    free(name);
    return file;
}

int system_memory_file(void)
{
    const char *folder = getenv("TMPDIR");
    return system_unnamed_file(folder ? folder : "/tmp");
}

/* Such a file cannot get a name: the caller copies it. */
bool system_name_file(int file, int directory, const char *name)
{
    (void)file, (void)directory, (void)name;
    errno = ENOTSUP;
    return false;
}

/* ---- Memory ---- */

/* Pages of malloc() cannot become zeros without being written. */
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
