/* commands.c (test): what lines after a colon mean. */
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "programs/sample/conversation.h"
#include "tests/helpers/close.h"

typedef struct {
    int top_k, top_p, topic, later;
} Options;

#define FIELD_STRUCT Options

static const Field FIELDS[] = {
    FIELD_HEADING("Options:"),
    {"top-k", LIFE_CALL, WHOLE_FIELD(top_k, NULL, "K", 0, 9), ""},
    {"top-p", LIFE_CALL, WHOLE_FIELD(top_p, NULL, "P", 0, 9), ""},
    {"top", LIFE_CALL, WHOLE_FIELD(topic, NULL, "T", 0, 9), ""},
    {"later", LIFE_CALL, WHOLE_FIELD(later, NULL, "N", 0, 9), ""},
    {.name = NULL},
};

static const Command COMMANDS[] = {
    {"again", NULL, ""}, {"more", "TEXT", ""}, {"quit", NULL, ""}, {.name = NULL}};
static const CommandTable TABLE = {COMMANDS, FIELDS, offsetof(Options, later)};

/* Checks what a line means: the name of a command or an option, and the value. */
static void check(const char *line, const char *name, const char *value)
{
    char *typed = format_text("%s", line);
    const CommandLine read = command_read(&TABLE, typed);
    assert_null(read.wrong);
    assert_true(!read.command != !read.field);
    assert_string_equal(read.command ? read.command->name : read.field->name, name);
    assert_string_equal(read.value, value);
    free(typed);
}

/* Checks that a line is refused with a message that holds a text. */
static void refuse(const char *line, const char *text)
{
    char *typed = format_text("%s", line);
    const CommandLine read = command_read(&TABLE, typed);
    assert_null(read.command);
    assert_null(read.field);
    assert_non_null(strstr(read.wrong, text));
    free(read.wrong);
    free(typed);
}

static void names_may_be_cut(void **state)
{
    (void)state;
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

static void mistakes_are_named(void **state)
{
    (void)state;
    refuse("", "a command follows the colon; :help lists them");
    refuse(" ", "a command follows the colon");
    refuse("no", "there is no command :no; :help lists them, and ::no is a prompt");
    refuse("agains", ":agains");
    refuse("later 3", ":later"); /* it is not for the prompt line */
    refuse("to 5", ":to may be :top-k, :top-p, :top");
    refuse("quit now", ":quit takes nothing after it, but there is 'now'");
}

static void all_names_are_offered(void **state)
{
    (void)state;
    const char *wanted[] = {":again", ":more", ":quit", ":top-k", ":top-p", ":top"};
    char **names = command_names(&TABLE);
    assert_int_equal(arrlen(names), 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(names[i], wanted[i]);
        free(names[i]);
    }
    arrfree(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_be_cut),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(all_names_are_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
