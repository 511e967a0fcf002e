/* base.c: messages and the clock. A message is made harmless for a terminal before it is printed,
 * since it may quote a damaged file. */
#include "base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

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

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    exit(1);
}

_Noreturn void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(format, arguments);
    exit(EX_USAGE);
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

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
