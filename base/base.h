/* base.h: what every room stands on: the number type, memory, failing and the clock. */
#ifndef PULGA_BASE_H
#define PULGA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "real.h"

/* The two ways to fail. Both print "program: message" as one line on standard error and end the
 * program: if the world is wrong (a file, the machine) with status 1, if the call was wrong (an
 * option) with status 64. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the same line and goes on: for what failed without harm, such as a save that will be tried
 * again. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The formatted text in memory of its own; the caller frees it. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

double clock_seconds(void); /* since some fixed moment; only differences mean anything */

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* The same for counts that may not fit in an int. */
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
