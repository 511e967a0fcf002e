/* shell.c: joins words. A word that a shell would not take as it is stands in single quotes, and a
 * single quote in it as '\''. Control characters become ?, as in every message. */
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/utf8.h"

/* Whether a shell would leave the word as it is: an empty one would be lost, and these characters
 * mean something to a shell. */
static bool is_plain(const char *word)
{
    return *word && !word[strcspn(word, " \"'\\$`!*?[]{}()<>|&;#~")];
}

/* Control characters become question marks even inside quotes, since a terminal also obeys them
 * there; such a name must be typed by hand. */
static void put_quoted(FILE *out, const char *word)
{
    char *safe = format_text("%s", word);
    text_sanitize(safe);
    const bool plain = is_plain(safe);
    fputs(plain ? "" : "'", out);
    for (const char *at = safe; *at; at++)
        if (*at == '\'')
            fputs("'\\''", out);
        else
            fputc(*at, out);
    fputs(plain ? "" : "'", out);
    free(safe);
}

/* The words with spaces between them. */
static char *joined(char *const *words, bool quoted)
{
    char *line;
    FILE *out = memory_stream(&line, NULL);
    for (int i = 0; words[i]; i++) {
        fputs(i ? " " : "", out);
        if (quoted)
            put_quoted(out, words[i]);
        else
            fputs(words[i], out);
    }
    fclose(out);
    return line;
}

char *command_line(char *const *words)
{
    return joined(words, true);
}

char *words_together(char *const *words)
{
    return joined(words, false);
}
