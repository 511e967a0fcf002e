/* screen.h: what a person sees: colours where they are wanted, one line that refreshes, numbers
 * with their thousands apart. */
#ifndef PULGA_SCREEN_H
#define PULGA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool terminal;            /* standard output is one */
    const char *bold, *plain; /* escapes, or "" in a pipe, under NO_COLOR and on a dumb terminal */
    double refreshed;         /* when the line was last due */
} Screen;

Screen screen_open(void);

/* Columns of the terminal; where there is none, of $COLUMNS, or 80. */
int screen_width(void);

/* Columns that a line which refreshes may take now; any number where there is no terminal. */
int screen_room(const Screen *screen);

/* Shows a line in the place of the one before; only on a terminal. */
void screen_refresh(const Screen *screen, const char *line);

/* Whether the line was last asked for long enough ago to be read; seconds: since any moment. */
bool screen_is_due(Screen *screen, double seconds);

/* 1234567 as 1,234,567; the text's room is the caller's. */
typedef struct {
    char text[40];
} Digits;
Digits thousands(size_t number);

/* 75 as "1m15s". */
Digits duration(double seconds);

#endif
