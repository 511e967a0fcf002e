/* screen.c: a paragraph is formatted whole, then printed word by word. A status line has no line
 * end: the next one begins with a carriage return and ends with "erase to the end of the line". */
#include "screen.h"

#include <unistd.h>

#include "base/base.h"
#include "base/language.h"
#include "base/parallel/threads.h"
#include "base/system/system.h"
#include "base/utf8.h"
#include "options.h"

/* The labels of paragraphs stand in the first columns, their text in the others. */
enum { LABEL_COLUMNS = 8 };

/* mpirun gives its processes a terminal even if its own output goes into a file; but only a real
 * one has a size. NO_COLOR (no-color.org) switches colours off if it is not empty. A terminal that
 * TERM calls dumb, or that has no TERM, cannot move its cursor. */
Screen screen_open(void)
{
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    int number;
    const bool terminal = isatty(STDOUT_FILENO) &&
                          (!launcher_processes(&number) || system_columns(STDOUT_FILENO)) && kind &&
                          strcmp(kind, "dumb");
    const bool colours = terminal && !(no_colour && *no_colour);
    return (Screen){terminal, colours ? "\033[1m" : "", colours ? "\033[0m" : ""};
}

int screen_width(void)
{
    const int shown = system_columns(STDOUT_FILENO);
    if (shown > 1)
        return shown;
    const char *columns = getenv("COLUMNS");
    /* An absurd width is ignored. */
    const long wanted = columns ? strtol(columns, NULL, 10) : 0;
    return wanted > 1 && wanted < 10000 ? (int)wanted : 80;
}

/* The label, translated, and the spaces after it. */
static void put_label(const Screen *screen, const char *label)
{
    const char *shown = translated(label);
    if (*shown)
        printf("%s%s%s", screen->bold, shown, screen->plain);
    printf("%*s", LABEL_COLUMNS - display_width(shown), "");
}

void screen_wrap(char *text, int indent, int width)
{
    int column = indent; /* where the next word begins, or the space before it */
    /* The first word stays where it is, even if it is too long for any line. */
    for (char *rest = text, *word; (word = strsep(&rest, " "));) {
        const int columns = display_width(word);
        const bool first = column == indent;
        if (first || column + 1 + columns < width) {
            printf("%s%s", first ? "" : " ", word);
            column += columns + !first;
        } else {
            printf("\n%*s%s", indent, "", word);
            column = indent + columns;
        }
    }
    printf("\n");
}

void screen_paragraph(const Screen *screen, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    AUTOFREE char *text = format_list(translated(format), arguments);
    va_end(arguments);
    text_sanitize(text);
    put_label(screen, label);
    screen_wrap(text, LABEL_COLUMNS, screen_width());
}

void screen_command(const Screen *screen, const char *label, const char *text, char *const *words)
{
    AUTOFREE char *command = command_line(words);
    put_label(screen, label);
    printf("%s\n%*s%s\n", translated(text), LABEL_COLUMNS, "", command);
}

void screen_status(const Screen *screen, const char *line)
{
    if (!screen->terminal)
        return;
    /* A wider line would wrap, and the next one would overwrite only its last row. */
    putchar('\r');
    put_cut(stdout, line, screen_width() - 1);
    printf("\033[K");
    fflush(stdout);
    if (*line) /* not flushed: it removes the line before whatever is printed next, even an error */
        printf("\r\033[K");
}

bool screen_may_refresh(const Screen *screen, double *refreshed)
{
    const double now = clock_seconds();
    if (!screen->terminal || now - *refreshed < 0.1)
        return false;
    *refreshed = now;
    return true;
}

/* encoding 40%, 12s left
 *
 * The time left is that of the rest at the speed so far. */
void screen_task(Task *task, const char *doing, double share)
{
    char line[128];
    const double now = clock_seconds();
    if (!task->doing || strcmp(task->doing, doing) != 0) {
        task->doing = doing;
        task->begun = task->refreshed = now;
    }
    const double taken = now - task->begun, all = share > 0 ? taken / share : INFINITY;
    if (taken < 0.5 || all < 2 || !screen_may_refresh(task->screen, &task->refreshed))
        return;
    if (isfinite(all))
        snprintf(line, sizeof line, _("%s %.0f%%  %s left"), translated(doing), 100 * share,
                 duration(all - taken).text);
    else
        snprintf(line, sizeof line, "%s", translated(doing));
    screen_status(task->screen, line);
}

/* A comma, in Spanish a narrow space, comes before each group of three digits, counted from the
 * end, but not at the front. */
Digits thousands(size_t number)
{
    char plain[32];
    Digits digits = {""};
    const int length = snprintf(plain, sizeof plain, "%zu", number);
    /* translators: between groups of three digits */
    const char *comma = _(",");
    char *out = digits.text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out = stpcpy(out, comma);
        *out++ = plain[i];
    }
    *out = 0;
    return digits;
}

/* 0.4s, 12s, 1m15s, 2h01m: about three digits, whatever the unit. */
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

Digits rate_per_second(double amount, double seconds)
{
    return seconds > 0 && amount / seconds < 1e15 ? thousands((size_t)(amount / seconds))
                                                  : (Digits){"-"};
}

Digits plural(size_t count, const char *one, const char *many)
{
    Digits digits = thousands(count);
    const size_t used = strlen(digits.text);
    snprintf(digits.text + used, sizeof digits.text - used, " %s",
             translated(count == 1 ? one : many));
    return digits;
}
