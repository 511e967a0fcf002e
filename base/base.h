/* base.h: what every room stands on: the number type, failing, memory, time. */
#ifndef PULGA_BASE_H
#define PULGA_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of the model computes in this type: float, or double in the build that the exactness tests
 * use (-DREAL=double). */
#ifndef REAL
#define REAL float
#endif
typedef REAL Real;

/* The one way to fail: "program: message" on standard error, exit status 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with another exit status. */
_Noreturn void die_with(int status, const char *format, va_list arguments);

/* The same line where all goes on. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message in memory of its own, which the caller frees: what went wrong, told upwards. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts ? in the place of each byte of a control character, of a mark that turns the writing round
 * and of what is no UTF-8: a name out of a damaged file must not look like a second line, nor speak
 * to the terminal. */
void text_sanitize(char *text);

/* Zeroed memory on a cache line's boundary, or die saying how much was wanted and for what. The
 * caller frees it with free(). What of a large block is never used takes no memory. */
void *memory_new(size_t count, size_t size, const char *purpose);

/* Dies unless the machine, and the limit that was set, has so much memory at all. To be called
 * before allocating: Linux hands out more memory than there is, and kills the program when it is
 * used. */
void memory_check(double bytes, const char *purpose);

/* What a container or ulimit allows this process; called once, when the program starts. */
void memory_limit_set(double bytes);

/* One block of numbers handed out piece by piece. With at == NULL it only counts, so one layout
 * function serves twice: first to learn the size, then to place. */
typedef struct {
    Real *at;
    size_t used; /* numbers handed out so far */
} Arena;

/* The next rows x cols numbers, starting on a cache line; NULL while counting. */
Real *arena_take(Arena *arena, size_t rows, size_t cols);

double clock_seconds(void); /* since some fixed moment; only differences mean anything */

/* Row number i of a matrix with rows of the given width. */
#define ROW(matrix, i, width) ((matrix) + (size_t)(i) * (size_t)(width))

#endif
