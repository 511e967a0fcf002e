/* screen.h: output for a person: bold if colours are allowed, paragraphs that break between words,
 * a status line that is overwritten, counts and times that read well. Labels, texts and formats
 * that these functions get are translated (base/language.h). */
#ifndef PULGA_SCREEN_H
#define PULGA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool terminal;            /* standard output is a terminal that can move its cursor */
    const char *bold, *plain; /* escape sequences; "" in a pipe and under NO_COLOR */
} Screen;

Screen screen_open(void);

/* Columns of the terminal; in a pipe $COLUMNS, or 80. */
int screen_width(void);

/* Prints a text from the column `indent` on, where the cursor is, in lines that are shorter than
 * `width`; later ones are indented. A word is never broken. Changes the text. */
void screen_wrap(char *text, int indent, int width);

/* Prints a label in bold, then a text beside it, which is made harmless (see text_sanitize). A text
 * that is too long goes on in the next line, indented. */
void screen_paragraph(const Screen *screen, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints a label and a text, then the words of a shell command, which end with NULL, on a line that
 * can be copied whole. */
void screen_command(const Screen *screen, const char *label, const char *text, char *const *words);

/* Replaces the status line, the last line of a terminal; "" removes it, and so does whatever is
 * printed next. Prints nothing in a pipe. */
void screen_status(const Screen *screen, const char *line);

/* Whether a status line that changes all the time may be printed again: on a terminal, a tenth of a
 * second after the last time. *refreshed is that time (by the clock), and becomes now if it may. */
bool screen_may_refresh(const Screen *screen, double *refreshed);

/* Something that may take long: the status line names it and tells how much of it is done, and the
 * time left. */
typedef struct {
    const Screen *screen;
    const char *doing;
    double begun, refreshed; /* clock */
} Task;

/* Tells how much of it is done, from 0 to 1; NAN if that is not known. What takes less than two
 * seconds is not shown. Another text begins another task. */
void screen_task(Task *task, const char *doing, double share);

/* A short text, returned by value: nothing to free. */
typedef struct {
    char text[64];
} Digits;

Digits thousands(size_t number);                       /* 1234567 as 1,234,567 */
Digits duration(double seconds);                       /* 75 as 1m15s */
Digits rate_per_second(double amount, double seconds); /* thousands(); "-" if no time has passed */

/* "1 layer", "2 layers": the count, then the first word if it is 1, else the second, translated. */
Digits plural(size_t count, const char *one, const char *many);

#endif
