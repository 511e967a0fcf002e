/* fail_malloc.c: a library to preload (LD_PRELOAD) whose allocation number FAIL_AT fails. At the
 * end it writes how many there were into the file COUNT_INTO, if that is given. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_long count;

static bool fails(void)
{
    static long fail_at = -1;
    if (fail_at < 0) {
        const char *text = getenv("FAIL_AT");
        fail_at = text ? strtol(text, NULL, 10) : 0;
    }
    if (atomic_fetch_add(&count, 1) + 1 != fail_at)
        return false;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("COUNT_INTO");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", (long)count);
    fclose(file);
}
