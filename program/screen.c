/* screen.c: see screen.h. */
#include "screen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

Screen screen_open(void)
{
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    const bool terminal = isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb");
    const bool colours = terminal && !(no_colour && *no_colour);
    return (Screen){terminal, colours ? "\033[1m" : "", colours ? "\033[0m" : "", 0};
}

int screen_width(void)
{
    struct winsize size;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    const long wanted = columns ? strtol(columns, NULL, 10) : 0;
    return wanted > 1 && wanted < 10000 ? (int)wanted : 80;
}

int screen_room(const Screen *screen)
{
    /* A line that wraps could not be taken back. */
    return screen->terminal ? screen_width() - 1 : INT_MAX;
}

void screen_refresh(const Screen *screen, const char *line)
{
    if (!screen->terminal)
        return;
    printf("\r%.*s\033[K", screen_room(screen), line);
    fflush(stdout);
}

bool screen_is_due(Screen *screen, double seconds)
{
    if (seconds - screen->refreshed < 0.1)
        return false;
    screen->refreshed = seconds;
    return true;
}

Digits thousands(size_t number)
{
    char plain[32];
    Digits digits = {""};
    const int length = snprintf(plain, sizeof plain, "%zu", number);
    char *out = digits.text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = plain[i];
    }
    *out = 0;
    return digits;
}

Digits duration(double seconds)
{
    Digits digits;
    const long whole = (long)(seconds + 0.5);
    if (seconds < 10)
        snprintf(digits.text, sizeof digits.text, "%.1fs", seconds);
    else if (whole < 60)
        snprintf(digits.text, sizeof digits.text, "%lds", whole);
    else if (whole < 3600)
        snprintf(digits.text, sizeof digits.text, "%ldm%02lds", whole / 60, whole % 60);
    else
        snprintf(digits.text, sizeof digits.text, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
    return digits;
}
