/* ask.c: libedit reads what is typed. What comes from a pipe is read byte by byte, so that a line
 * without an end is refused before it fills the memory. */
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

/* Bytes of a line that comes from a pipe. */
enum { PROMPT_MOST = 1 << 20 };

bool ask_person(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* ---- At a terminal ---- */

/* The tokenizer whose words Tab completes; global, since libedit's callbacks get no context. */
static const Tokenizer *completed;

/* Called by libedit until it returns NULL, the first time with again == 0: the next word that
 * begins with `beginning`, in memory that libedit frees. */
static char *next_completion(const char *beginning, int again)
{
    static int id;
    if (!again)
        id = 0;
    while (id < tokenizer_size(completed)) {
        const char *word = tokenizer_word(completed, id);
        const bool fits = !strncmp(word, beginning, strlen(beginning));
        if (tokenizer_is_text(completed, id++) && fits)
            return format_text("%s", word);
    }
    return NULL;
}

/* Called by libedit when Tab is pressed; from and end say where in the line the word stands. */
static char **complete(const char *beginning, int from, int end)
{
    (void)from, (void)end;
    rl_attempted_completion_over = 1; /* else the names of files would follow */
    return tokenizer_has_words(completed) ? rl_completion_matches(beginning, next_completion)
                                          : NULL;
}

/* The history is kept for this call only. */
char *ask_typed(const Tokenizer *tokenizer, size_t *size)
{
    /* libedit must know that the terminal speaks UTF-8; numbers keep their decimal point. */
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8"))
        setlocale(LC_CTYPE, "C.UTF-8");
    completed = tokenizer;
    rl_attempted_completion_function = complete;
    char *line = readline("> ");
    if (!line) {
        putchar('\n'); /* after the Ctrl-D */
        return NULL;
    }
    if (*line)
        add_history(line);
    *size = strlen(line);
    return line;
}

/* ---- In a pipe ---- */

/* A line may hold 0 bytes, and the last one may lack its line end; CRLF is a line end, too. */
char *ask_piped(size_t *size)
{
    char *line;
    int c;
    FILE *out = memory_stream(&line, size);
    for (size_t length = 0; (c = getchar()) != EOF && c != '\n'; length++) {
        if (length == PROMPT_MOST)
            die("standard input has a line of more than %d bytes: that is no prompt", PROMPT_MOST);
        putc(c, out);
    }
    fclose(out);
    if (ferror(stdin))
        die("cannot read standard input: %s", reason(errno));
    if (c == EOF && !*size) {
        free(line);
        return NULL;
    }
    if (*size && line[*size - 1] == '\r')
        line[--*size] = 0;
    return line;
}
