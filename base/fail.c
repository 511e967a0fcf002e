/* fail.c: a message is made harmless for a terminal before it is printed, since it may quote a
 * damaged file. Nothing here allocates, so it can also report that there is no memory. */
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "language.h"
#include "utf8.h"

/* Prints "program: message" as one line, translated. What does not fit is cut. */
static void put_line(const char *format, va_list arguments)
{
    char message[3 * 4096]; /* room for two paths and what is wrong with them */
    vsnprintf(message, sizeof message, translated(format), arguments);
    text_sanitize(message);
    fflush(stdout); /* so that both streams appear in order */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, message);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    va_end(arguments);
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    exit(1);
}

/* 64: the status that BSD's sysexits.h has for a wrong call. */
_Noreturn void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    exit(EX_USAGE);
}
