/* base.c: formatted texts and the clock. */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

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

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
