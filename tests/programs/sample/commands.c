/* commands.c (test): what lines after a colon mean. */
#include <stb/stb_ds.h>

#include "base/base.h"
#include "programs/sample/command.h"
#include "tests/helpers/close.h"

static const Field FIELDS[] = {
    {.name = "again", .offset = COMMAND},
    {.name = "more", .offset = COMMAND, .value = "TEXT"},
    {.name = "quit", .offset = COMMAND},
    {.name = "top-k"},
    {.name = "top-p"},
    {.name = "top"},
    {.name = NULL},
};

/* An stb_ds array. */
static const Field **all_names(void)
{
    const Field **names = NULL;
    EACH_FIELD (field, FIELDS)
        arrput(names, field);
    return names;
}

/* Checks what a line means: the name of a command or an option, and the value. */
static void check(const char *line, const char *name, const char *value)
{
    AUTOFREE char *typed = format_text("%s", line);
    const Field **names = all_names();
    const CommandLine read = command_read(names, typed);
    assert_null(read.wrong);
    assert_string_equal(read.meant->name, name);
    assert_string_equal(read.value, value);
    arrfree(names);
}

/* Checks that a line is refused with a message that holds a text. */
static void refuse(const char *line, const char *text)
{
    AUTOFREE char *typed = format_text("%s", line);
    const Field **names = all_names();
    const CommandLine read = command_read(names, typed);
    assert_null(read.meant);
    assert_non_null(strstr(read.wrong, text));
    free(read.wrong);
    arrfree(names);
}

TEST(names_may_be_cut)
{
    check("again", "again", "");
    check("a", "again", "");
    check("q  ", "quit", "");
    check("more", "more", "");
    check("more un gato  come ", "more", "un gato  come");
    check("m   un", "more", "un");
    check("top-k 5", "top-k", "5");
    check("top-p", "top-p", "");
    check("top 3", "top", "3"); /* though others begin so */
}

TEST(mistakes_are_named)
{
    refuse("", "a command follows the colon; :help lists them");
    refuse(" ", "a command follows the colon");
    refuse("no", "there is no command :no; :help lists them, and ::no is a prompt");
    refuse("agains", ":agains");
    refuse("to 5", ":to may be :top-k, :top-p, :top");
    refuse("quit now", ":quit takes nothing after it, but there is 'now'");
}
