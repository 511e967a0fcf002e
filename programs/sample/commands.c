/* commands.c: the names of commands and options are one list. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"

/* A name that can be typed, and what it stands for: a command or an option. The other is NULL. */
typedef struct {
    const char *name;
    const Command *command;
    const Field *field;
} Typed;

/* All of them: an stb_ds array. Options such as --json are for the whole call, not for the prompt
 * line. */
static Typed *entries_of(const CommandTable *table)
{
    Typed *entries = NULL;
    for (const Command *c = table->commands; c->name; c++)
        arrput(entries, ((Typed){c->name, c, NULL}));
    EACH_FIELD (field, table->fields)
        if (field->offset < table->end)
            arrput(entries, ((Typed){field->name, NULL, field}));
    return entries;
}

char **command_names(const CommandTable *table)
{
    char **names = NULL;
    Typed *entries = entries_of(table);
    for (ptrdiff_t i = 0; i < arrlen(entries); i++)
        arrput(names, format_text(":%s", entries[i].name));
    arrfree(entries);
    return names;
}

/* The entry that these letters stand for; NULL if there is none, or several. `several` receives
 * those that begin so, as one text: ":top-k, :top-p". Letters that are a whole name stand for it,
 * even if longer ones begin with them. */
static const Typed *find(const Typed *entries, const char *letters, char **several)
{
    const Typed *found = NULL;
    const size_t length = strlen(letters);
    int count = 0;
    *several = format_text("%s", "");
    for (const Typed *e = entries; e < entries + arrlen(entries); e++) {
        if (strncmp(e->name, letters, length) != 0)
            continue;
        extend_text(several, count++ ? ", :%s" : ":%s", e->name);
        found = e;
        if (!e->name[length]) {
            count = 1; /* a name as it is */
            break;
        }
    }
    return count == 1 ? found : NULL;
}

/* "temp 0.7  " becomes the option of the field "temperature" and the value "0.7": the line is cut
 * into three parts, the name, spaces and the value, which may hold spaces itself. */
CommandLine command_read(const CommandTable *table, char *line)
{
    size_t size = strlen(line), length = strcspn(line, " ");
    while (size && line[size - 1] == ' ')
        line[--size] = 0;
    CommandLine read = {.value = line + length + strspn(line + length, " ")};
    Typed *entries = entries_of(table);
    char *name = format_text(":%.*s", (int)length, line), *several;
    const Typed *meant = find(entries, name + 1, &several);
    if (!length)
        read.wrong = format_text(_("a command follows the colon; :help lists them"));
    else if (!meant && *several)
        read.wrong = format_text(_("%s may be %s"), name, several);
    else if (!meant)
        read.wrong = format_text(_("there is no command %s; :help lists them, and :%s is a prompt"),
                                 name, name);
    else if (meant->command && !meant->command->value && *read.value)
        read.wrong = format_text(_(":%s takes nothing after it, but there is '%s'"), meant->name,
                                 read.value);
    else {
        read.command = meant->command;
        read.field = meant->field;
    }
    arrfree(entries);
    free(several);
    free(name);
    return read;
}
