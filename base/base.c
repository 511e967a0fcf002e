/* base.c: see base.h. */
#include "base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

enum { CACHE_LINE = 64 };
#ifndef LARGE_BLOCK /* bytes; out of reach where valgrind, which zero() would mislead, looks on */
#define LARGE_BLOCK (1 << 20)
#endif

/* Whether a code point commands: control characters, what breaks a line, and what turns the
 * writing round. */
static bool is_command(uint32_t c)
{
    return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* The bytes of a UTF-8 character that may be shown; 0 where these are none. */
static int harmless_bytes(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of so many bytes */
    const int bytes = *at < 0x80   ? 1
                      : *at < 0xC0 ? 0
                      : *at < 0xE0 ? 2
                      : *at < 0xF0 ? 3
                      : *at < 0xF8 ? 4
                                   : 0;
    uint32_t c = bytes == 1 ? *at : *at & (0x7Fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((at[i] & 0xC0) != 0x80) /* the 0 at the end among them */
            return 0;
        c = c << 6 | (at[i] & 0x3F);
    }
    const bool good = c >= least[bytes] && c <= 0x10FFFF && !(c >= 0xD800 && c < 0xE000);
    return good && !is_command(c) ? bytes : 0;
}

void text_sanitize(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        const int bytes = harmless_bytes(at);
        if (!bytes)
            *at = '?';
        at += bytes ? bytes : 1;
    }
}

static void put_line(const char *format, va_list arguments)
{
    char message[3 * 4096]; /* of two paths at most, and what is wrong with them */
    vsnprintf(message, sizeof message, format, arguments);
    text_sanitize(message);
    fflush(stdout); /* what was said before comes before it */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, message);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    va_end(arguments);
}

_Noreturn void die_with(int status, const char *format, va_list arguments)
{
    put_line(format, arguments);
    exit(status);
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    die_with(1, format, arguments);
}

char *format_text(const char *format, ...)
{
    char *message;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&message, format, arguments) < 0)
        die("no memory for a message");
    va_end(arguments);
    return message;
}

static double memory_limit = INFINITY;

void memory_limit_set(double bytes)
{
    memory_limit = bytes;
}

void memory_check(double bytes, const char *purpose)
{
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (machine > 0 && bytes > machine)
        die("no memory: %s would take %.0f MB, this machine has %.0f MB; choose smaller sizes",
            purpose, bytes / 1e6, machine / 1e6);
    if (bytes > memory_limit)
        die("no memory: %s would take %.0f MB, this container or ulimit -m allows %.0f MB; choose "
            "smaller sizes",
            purpose, bytes / 1e6, memory_limit / 1e6);
}

/* Whole pages that are given back come again as zeros, and only when they are touched: memory that
 * no one uses, such as the gradients of a model that does not learn, is then never taken. */
static void zero(char *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = memory + (page - (uintptr_t)memory % page) % page;
    const size_t whole = bytes < LARGE_BLOCK ? 0 : (bytes - (size_t)(first - memory)) / page * page;
    if (!whole || madvise(first, whole, MADV_DONTNEED)) {
        memset(memory, 0, bytes);
        return;
    }
    madvise(first, whole, MADV_HUGEPAGE); /* where the system has some: fewer places to look up */
    memset(memory, 0, (size_t)(first - memory));
    memset(first + whole, 0, bytes - whole - (size_t)(first - memory));
}

void *memory_new(size_t count, size_t size, const char *purpose)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - CACHE_LINE)
        die("%s would need more memory than there are addresses; choose smaller sizes", purpose);
    bytes = (bytes / CACHE_LINE + 1) * CACHE_LINE;
    memory_check((double)bytes, purpose);
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    if (!memory)
        die("no memory: %s would take %.1f MB; choose smaller sizes", purpose, (double)bytes / 1e6);
    zero(memory, bytes);
    return memory;
}

Real *arena_take(Arena *arena, size_t rows, size_t cols)
{
    const size_t line = CACHE_LINE / sizeof(Real);
    size_t count, end;
    if (__builtin_mul_overflow(rows, cols, &count) ||
        __builtin_add_overflow(arena->used, count, &end) || end > SIZE_MAX / 64)
        die("a model of this size does not fit in any memory; choose smaller sizes");
    Real *piece = arena->at ? arena->at + arena->used : NULL;
    arena->used = (end + line - 1) / line * line;
    return piece;
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
