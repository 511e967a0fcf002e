/* readline.h: what a program asks of libedit, where there is no such library: a line is read as it
 * comes. Nothing is completed, and earlier lines do not come back. */
#ifndef PULGA_READLINE_H
#define PULGA_READLINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *line;
} HIST_ENTRY;

typedef char *Completer(const char *, int);

static char **(*rl_attempted_completion_function)(const char *, int, int);
static int rl_attempted_completion_over, history_base, history_length;

static inline char *readline(const char *prompt)
{
    char *line = NULL;
    size_t room = 0;
    fputs(prompt, stdout);
    fflush(stdout);
    if (getline(&line, &room, stdin) < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\r\n")] = 0;
    return line;
}

static inline char **rl_completion_matches(const char *beginning, Completer *next)
{
    (void)beginning, (void)next;
    return NULL;
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

static inline void add_history(const char *line)
{
    (void)line;
}

#endif
