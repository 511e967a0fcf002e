/* base.h: what every other room uses: the number type, errors, memory, texts and the clock. */
#ifndef PULGA_BASE_H
#define PULGA_BASE_H

/* What nearly every file needs of the C library. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

/* All of the model computes in this type: float, or double in the build that the exactness tests
 * use (-DREAL=double). */
#ifndef REAL
#define REAL float
#endif
typedef REAL Real;

/* What --version prints and config.json holds. */
#define PULGA_VERSION "0.1"

/* The two ways to fail. Both print "program: message" as one line on standard error and end the
 * program: if the world is wrong (a file, the machine) with status 1, if the call was wrong (an
 * option) with status 64. The formats are translated (language.h). */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the same line and goes on: for what failed without harm, such as a save that will be tried
 * again. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For a library, which must not end the process: `taker` gets each of these lines, without the
 * program's name. If the status is not 0, the program would end with it, and `taker` does not
 * return. Called once, when the library is loaded. */
typedef void MessageTaker(const char *line, int status);
void messages_redirect(MessageTaker *taker);

/* malloc and realloc that die with one line instead of returning NULL. So do the libraries: stb_ds
 * allocates through them, and cJSON (see formats/json.h). */
void *memory_take(size_t bytes);
void *memory_resize(void *memory, size_t bytes);

/* Before a local pointer: what it points to in the end is freed where its block ends.
 *
 *     AUTOFREE char *shown = display_text(line);
 */
#define AUTOFREE __attribute__((cleanup(memory_free_at)))
void memory_free_at(void *pointer);

/* Zeroed memory for count x size bytes that starts on a cache line; the caller frees it with
 * free(). If there is not that much, dies and names the purpose. Pages of a large block that are
 * never touched cost nothing. */
void *memory_new(size_t count, size_t size, const char *purpose);

/* Numbers that are 0, as from memory_new(), and in large pages if the system has them: the
 * processor finds a number faster there. Only for numbers that will all be used, such as
 * weights. */
Real *memory_numbers(size_t count, const char *purpose);

/* Dies unless the machine, and the limit that was set, have this much memory at all. Call it
 * before allocating: Linux hands out more memory than there is, and kills the program when it is
 * used. */
void memory_check(double bytes, const char *purpose);

/* What a container or ulimit allows this process; called once, when the program starts. */
void memory_limit_set(double bytes);

/* A stream that writes into memory, as open_memstream() does. After fclose(), *text holds all of
 * it, ended by a 0 that *size does not count; the caller frees *text. Writing never fails. `size`
 * may be NULL. */
FILE *memory_stream(char **text, size_t *size);

/* One block of numbers handed out piece by piece. With at == NULL it only counts, so one layout
 * function serves twice: first to learn the size, then to place. */
typedef struct {
    Real *at;
    size_t used; /* numbers handed out so far */
} Arena;

/* The next rows x cols numbers, starting on a cache line; NULL while counting. */
Real *arena_take(Arena *arena, size_t rows, size_t cols);

/* The formatted text in memory of its own; the caller frees it. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *format_list(const char *format, va_list arguments);

/* Appends a formatted text to such a one; NULL is an empty one. */
void extend_text(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

double clock_seconds(void); /* since some fixed moment; only differences mean anything */

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* For counts that may not fit in an int. */
static inline int64_t min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Row number i of a matrix with rows of the given width. */
#define ROW(matrix, i, width) ((matrix) + (size_t)(i) * (size_t)(width))

#endif
