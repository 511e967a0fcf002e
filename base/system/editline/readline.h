/* readline.h: the part of libedit that sample calls, where there is no such library. On Windows the
 * console edits the line and brings back those before; elsewhere readline.c is it. */
#ifndef PULGA_READLINE_H
#define PULGA_READLINE_H

#include <stddef.h>

typedef struct {
    const char *line;
} HIST_ENTRY;
enum { history_base, history_length = 0 };

extern const char *rl_library_version; /* NULL: nothing is completed */
extern int rl_attempted_completion_over;
extern char **(*rl_attempted_completion_function)(const char *, int, int);

char *readline(const char *prompt);

static inline void add_history(const char *line)
{
    (void)line;
}

static inline const HIST_ENTRY *history_get(int number)
{
    (void)number;
    return NULL;
}

static inline void stifle_history(int most)
{
    (void)most;
}

/* All that `next` returns, as text; NULL ends them. */
char **rl_completion_matches(const char *beginning, char *next(const char *, int));

#endif
