/* base.h: what every other room uses: the number type, memory, errors and the clock. */
#ifndef PULGA_BASE_H
#define PULGA_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fail.h"
#include "language.h"
#include "memory.h"
#include "real.h"

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
