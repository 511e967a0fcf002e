/* base.c: formatted texts and the clock. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
