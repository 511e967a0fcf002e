/* ask.c: see ask.h. */
#include "ask.h"

#include <editline/readline.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

bool ask_person(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* The line's editor must know that the terminal speaks UTF-8; how numbers are written stays. */
static void speak_utf8(void)
{
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8"))
        setlocale(LC_CTYPE, "C.UTF-8");
}

char *ask_line(bool person, size_t *size)
{
    char *line = NULL;
    if (person) {
        speak_utf8();
        line = readline("> ");
        if (!line) {
            putchar('\n'); /* behind the ^D */
            return NULL;
        }
        if (*line)
            add_history(line);
        *size = strlen(line);
        return line;
    }
    size_t room = 0;
    const ssize_t length = getline(&line, &room, stdin);
    if (ferror(stdin))
        die("cannot read standard input: %s", strerror(errno));
    if (length < 0) {
        free(line);
        return NULL;
    }
    *size = (size_t)length;
    if (*size && line[*size - 1] == '\n')
        line[--*size] = 0;
    if (*size && line[*size - 1] == '\r')
        line[--*size] = 0;
    return line;
}
