/* shell.c: joins words. A word that a shell would not take as it is stands in single quotes, and a
 * single quote in it as '\''. Control characters become ?, as in every message. */
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/utf8.h"

/* Whether no shell would change the word. */
static bool is_plain(const char *word)
{
    return *word && !word[strcspn(word, " \"'\\$`!*?[]{}()<>|&;#~")];
}

static void put_quoted(FILE *out, const char *word)
{
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *command_line(int count, char *const *words)
{
    char *line;
    size_t size;
    FILE *out = memory_stream(&line, &size);
    for (int i = 0; i < count; i++) {
        char *word = format_text("%s", words[i]);
        text_sanitize(word);
        if (i)
            fputc(' ', out);
        if (is_plain(word))
            fputs(word, out);
        else
            put_quoted(out, word);
        free(word);
    }
    fclose(out);
    return line;
}

char *words_together(char **words)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    for (int i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
    fclose(out);
    return text;
}
