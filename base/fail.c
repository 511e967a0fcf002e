/* fail.c: a message is made harmless for a terminal before it is printed, since it may quote a
 * damaged file. Nothing here allocates, so it can also report that there is no memory. */
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/system/system.h"
#include "language.h"
#include "utf8.h"

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

/* Prints "program: message" as one line, translated. What does not fit is cut. */
static void put_line(const char *format, va_list arguments)
{
    char line[3 * 4096]; /* room for two paths and what is wrong with them */
    const int begin = snprintf(line, 1024, "%s: ", program_invocation_short_name);
    vsnprintf(line + begin, sizeof line - begin, translated(format), arguments);
    text_sanitize(line);
    wrap(line);
    fflush(stdout); /* so that both streams appear in order */
    fprintf(stderr, "%s\n", line);
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
