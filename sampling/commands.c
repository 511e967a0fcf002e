/* commands.c: the names of commands and options are one list. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"

/* Options such as --json are for the whole call, not for the prompt line. */
static bool is_offered(const CommandTable *table, const Field *field)
{
    return field->offset < table->end;
}

char **command_names(const CommandTable *table)
{
    char **names = NULL;
    for (const Command *c = table->commands; c->name; c++)
        arrput(names, format_text(":%s", c->name));
    EACH_FIELD (field, table->fields)
        if (is_offered(table, field))
            arrput(names, format_text(":%s", field->name));
    return names;
}

/* The place of the name that these letters stand for, with its colon, among the names; -1 if there
 * are none, or several. `several` receives the names that begin so, as one text: ":top-k, :top-p".
 * Letters that are a whole name stand for it, even if longer ones begin with them. */
static ptrdiff_t find(char **names, const char *letters, char **several)
{
    ptrdiff_t found = -1;
    int count = 0;
    size_t size;
    FILE *list = memory_stream(several, &size);
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        if (strncmp(names[i], letters, strlen(letters)) != 0)
            continue;
        fprintf(list, count++ ? ", %s" : "%s", names[i]);
        found = i;
        if (!names[i][strlen(letters)]) {
            count = 1; /* a name as it is */
            break;
        }
    }
    fclose(list);
    return count == 1 ? found : -1;
}

/* What the name with this place in command_names() stands for. */
static void set_meaning(const CommandTable *table, ptrdiff_t at, CommandLine *line)
{
    const Command *c = table->commands;
    for (; c->name; c++)
        if (at-- == 0)
            line->command = c;
    EACH_FIELD (field, table->fields)
        if (is_offered(table, field) && at-- == 0)
            line->field = field;
}

/* "temp 0.7  " becomes the option of the field "temperature" and the value "0.7": the line is cut
 * into three parts, the name, spaces and the value, which may hold spaces itself. */
CommandLine command_read(const CommandTable *table, char *line)
{
    size_t size = strlen(line), length = strcspn(line, " ");
    while (size && line[size - 1] == ' ')
        line[--size] = 0;
    CommandLine read = {.value = line + length + strspn(line + length, " ")};
    char **names = command_names(table), *several;
    char *name = format_text(":%.*s", (int)length, line);
    const ptrdiff_t at = find(names, name, &several);
    if (at >= 0)
        set_meaning(table, at, &read);
    else if (!length)
        read.wrong = format_text(_("a command follows the colon; :help lists them"));
    else if (*several)
        read.wrong = format_text(_("%s may be %s"), name, several);
    else
        read.wrong = format_text(_("there is no command %s; :help lists them, and :%s is a prompt"),
                                 name, name);
    if (read.command && !read.command->value && *read.value)
        read.wrong = format_text(_(":%s takes nothing after it, but there is '%s'"),
                                 read.command->name, read.value);
    if (read.wrong)
        read.command = NULL;
    for (ptrdiff_t i = 0; i < arrlen(names); i++)
        free(names[i]);
    arrfree(names);
    free(several);
    free(name);
    return read;
}
