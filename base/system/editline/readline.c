/* readline.c: a prompt line that only the terminal edits. Nothing is completed or brought back. */
#include "readline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rl_library_version = NULL;
int rl_attempted_completion_over;
char **(*rl_attempted_completion_function)(const char *, int, int);

char *readline(const char *prompt)
{
    char *line = NULL;
    size_t room = 0;
    fputs(prompt, stdout);
    fflush(stdout);
    if (getline(&line, &room, stdin) < 0) {
        free(line);
        clearerr(stdin);
        return NULL;
    }
    line[strcspn(line, "\r\n")] = 0;
    return line;
}

char **rl_completion_matches(const char *beginning, char *next(const char *, int))
{
    (void)beginning, (void)next;
    return NULL;
}
