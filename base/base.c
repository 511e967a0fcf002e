/* base.c: one allocator for us and for stb_ds, whose implementation is compiled here; messages. */
#include "base.h"

#include <errno.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/system/system.h"
#include "language.h"
#include "utf8.h"

/* ---- Failing ---- */

/* A message is made harmless for a terminal before it is printed, since it may quote a damaged
 * file. Nothing here allocates, so it can also report that there is no memory. */

/* On a terminal, makes the space before each word that would be broken a line end. */
static void wrap(char *line)
{
    char *space = NULL, *end = line + strlen(line);
    const int columns = system_columns(STDERR_FILENO);
    if (!columns)
        return;
    int left = columns;
    for (const char *at = line; at < end;) {
        if (*at == ' ')
            space = line + (at - line);
        left -= utf8_columns(utf8_next(&at, end));
        if (left < 0 && space) {
            *space = '\n';
            at = space + 1; /* the word is counted again, in its own line */
            space = NULL;
            left = columns;
        }
    }
}

static MessageTaker *message_taker; /* NULL: standard error; set once, when a library is loaded */

void messages_redirect(MessageTaker *taker)
{
    message_taker = taker;
}

/* Prints "program: message" as one line, translated. What does not fit is cut. */
static void put_line(int status, const char *format, va_list arguments)
{
    char line[3 * 4096]; /* room for two paths and what is wrong with them */
    const int begin =
        message_taker ? 0 : snprintf(line, 1024, "%s: ", program_invocation_short_name);
    vsnprintf(line + begin, sizeof line - begin, translated(format), arguments);
    text_sanitize(line);
    if (message_taker) {
        message_taker(line, status);
        return;
    }
    wrap(line);
    fflush(stdout); /* so that both streams appear in order */
    fprintf(stderr, "%s\n", line);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(0, format, arguments);
    va_end(arguments);
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(1, format, arguments);
    exit(1);
}

/* 64: the status that BSD's sysexits.h has for a wrong call. */
_Noreturn void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(EX_USAGE, format, arguments);
    exit(EX_USAGE);
}

/* ---- One allocator ---- */

enum { CACHE_LINE = 64 };
#ifndef LARGE_BLOCK /* bytes; SIZE_MAX for valgrind, which does not see its pages become zeros */
#define LARGE_BLOCK (1 << 20)
#endif

/* For small blocks, whose purpose is not named. */
static _Noreturn void no_memory(size_t bytes)
{
    die("no memory: %.1f MB more were needed", (double)bytes / 1e6);
}

void *memory_resize(void *memory, size_t bytes)
{
    void *resized = realloc(memory, bytes ? bytes : 1);
    if (!resized)
        no_memory(bytes);
    return resized;
}

void memory_free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

void *memory_take(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        no_memory(bytes);
    return memory;
}

/* The arrays of stb_ds (arrput and its like) use the same allocator. */
#define STBDS_REALLOC(context, memory, bytes) memory_resize(memory, bytes)
#define STBDS_FREE(context, memory) free(memory)
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>

/* ---- How much there is ---- */

static double memory_limit = INFINITY; /* bytes; set once, when the program starts */

void memory_limit_set(double bytes)
{
    memory_limit = bytes;
}

void memory_check(double bytes, const char *purpose)
{
    const double machine = system_memory();
    if (bytes > machine)
        die("no memory: %s would take %.0f MB, this machine has %.0f MB; choose smaller sizes",
            translated(purpose), bytes / 1e6, machine / 1e6);
    if (bytes > memory_limit)
        die("no memory: %s would take %.0f MB, this container or ulimit -m allows %.0f MB; choose "
            "smaller sizes",
            translated(purpose), bytes / 1e6, memory_limit / 1e6);
}

/* ---- Large blocks ---- */

/* A large block gives its pages back to the system, which hands out zeroed ones as they are
 * touched. What is never used is then never taken, such as the rows of a context that is never
 * filled. */
void *memory_new(size_t count, size_t size, const char *purpose)
{
    memory_check((double)count * (double)size, purpose); /* so the product fits in a size_t */
    const bool large = count * size >= LARGE_BLOCK;
    const size_t grain = large ? (size_t)sysconf(_SC_PAGESIZE) : CACHE_LINE;
    const size_t bytes = (count * size / grain + 1) * grain;
    void *memory = aligned_alloc(grain, bytes);
    if (!memory)
        die("no memory: %s would take %.1f MB; choose smaller sizes", translated(purpose),
            (double)bytes / 1e6);
    if (!large || !system_renew(memory, bytes))
        memset(memory, 0, bytes);
    return memory;
}

Real *memory_numbers(size_t count, const char *purpose)
{
    Real *numbers = memory_new(count, sizeof *numbers, purpose);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * sizeof *numbers;
    if (bytes >= LARGE_BLOCK)
        system_use_large_pages(numbers, bytes / page * page);
    return numbers;
}

/* A piece begins on a cache line: 16 floats, as many as the widest vector has. */
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

/* ---- Streams ---- */

/* A memory stream is a stdio stream whose write function grows a block; open_memstream() would lose
 * what was written when memory runs out. */
typedef struct {
    char **text; /* both are the caller's */
    size_t *size;
    size_t own; /* the size, if the caller has no place for it */
} Stream;

/* stdio calls this with a few kilobytes at a time. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t count)
{
    const Stream *stream = cookie;
    char *text = memory_resize(*stream->text, *stream->size + count + 1);
    memcpy(text + *stream->size, bytes, count);
    text[*stream->size + count] = 0;
    *stream->size += count;
    *stream->text = text;
    return (ssize_t)count;
}

static int stream_close(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *memory_stream(char **text, size_t *size)
{
    Stream *stream = memory_take(sizeof *stream);
    *stream = (Stream){text, size ? size : &stream->own, 0};
    *text = memory_take(1);
    **text = 0;
    *stream->size = 0;
    FILE *file = fopencookie(stream, "w",
                             (cookie_io_functions_t){.write = stream_write, .close = stream_close});
    if (!file)
        die("no memory for a text");
    return file;
}

char *format_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        die("no memory for a message");
    return text;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    return text;
}

void extend_text(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *before = *text, *more = format_list(format, arguments);
    va_end(arguments);
    *text = format_text("%s%s", before ? before : "", more);
    free(before);
    free(more);
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
