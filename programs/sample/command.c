/* command.c: names are compared letter by letter. */
#include "command.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/language.h"

/* The one of these names that letters stand for; NULL if there is none, or several. `several`
 * receives those that begin so, as one text: ":top-k, :top-p". Letters that are a whole name stand
 * for it, even if longer ones begin with them. */
static const Field *find(const Field *const *names, const char *letters, char **several)
{
    const Field *found = NULL;
    const size_t length = strlen(letters);
    int count = 0;
    *several = format_text("%s", "");
    for (ptrdiff_t i = 0; i < arrlen(names); i++) {
        if (strncmp(names[i]->name, letters, length) != 0)
            continue;
        extend_text(several, count++ ? ", :%s" : ":%s", names[i]->name);
        found = names[i];
        if (!found->name[length]) {
            count = 1; /* a name as it is */
            break;
        }
    }
    return count == 1 ? found : NULL;
}

/* "temp 0.7  " becomes the option of the field "temperature" and the value "0.7": the line is cut
 * into three parts, the name, spaces and the value, which may hold spaces itself. */
CommandLine command_read(const Field *const *names, char *line)
{
    size_t size = strlen(line), length = strcspn(line, " ");
    while (size && line[size - 1] == ' ')
        line[--size] = 0;
    CommandLine read = {.value = line + length + strspn(line + length, " ")};
    AUTOFREE char *name = format_text(":%.*s", (int)length, line), *several;
    const Field *meant = find(names, name + 1, &several);
    if (!length)
        read.wrong = format_text(_("a command follows the colon; :help lists them"));
    else if (!meant && *several)
        read.wrong = format_text(_("%s may be %s"), name, several);
    else if (!meant)
        read.wrong = format_text(_("there is no command %s; :help lists them, and :%s is a prompt"),
                                 name, name);
    else if (meant->offset == COMMAND && !meant->value && *read.value)
        read.wrong = format_text(_(":%s takes nothing after it, but there is '%s'"), meant->name,
                                 read.value);
    else
        read.meant = meant;
    return read;
}
