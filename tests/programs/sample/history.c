/* history.c (test): the file of prompts: where it is, who can read it, how long it becomes. */
#include <sys/stat.h>
#include <editline/readline.h>

#include "base/base.h"
#include "programs/sample/history.h"
#include "tests/helpers/test.h"

/* NULL unsets a variable. */
static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, true);
    else
        unsetenv(name);
}

static void check_path(const char *history, const char *state, const char *home, const char *wanted)
{
    set("PULGA_HISTORY", history);
    set("XDG_STATE_HOME", state);
    set("HOME", home);
    AUTOFREE char *path = history_path();
    if (wanted)
        assert_string_equal(path, wanted);
    else
        assert_null(path);
}

TEST(the_environment_says_where_it_is)
{
    check_path(NULL, NULL, "/home/ana", "/home/ana/.local/state/pulga/history");
    check_path(NULL, "", "/home/ana", "/home/ana/.local/state/pulga/history");
    check_path(NULL, "relative", "/home/ana", "/home/ana/.local/state/pulga/history");
    check_path(NULL, "/state", "/home/ana", "/state/pulga/history");
    check_path("here", "/state", "/home/ana", "here");
    check_path("", "/state", "/home/ana", NULL);
    check_path(NULL, NULL, NULL, NULL);
}

/* Reads the lines and checks the first and the last. */
static void check_lines(const char *path, int count, const char *first, const char *last)
{
    clear_history();
    assert_true(history_read(path));
    assert_int_equal(history_length, count);
    if (count) {
        assert_string_equal(history_get(history_base)->line, first);
        assert_string_equal(history_get(history_base + count - 1)->line, last);
    }
}

TEST(only_the_owner_can_read_it)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/a/b/history", folder);
    struct stat file, above;
    check_lines(path, 0, NULL, NULL); /* that it is not there is no mistake */
    assert_true(history_add(path, "un gato"));
    assert_true(history_add(path, "¿qué? 'come'"));
    check_lines(path, 2, "un gato", "¿qué? 'come'");
    AUTOFREE char *middle = format_text("%s/a", folder);
    assert_int_equal(stat(path, &file) | stat(middle, &above), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_int_equal(above.st_mode & 0777, 0700);
}

TEST(the_last_lines_are_read)
{
    SCRATCH(folder);
    AUTOFREE char *path = format_text("%s/history", folder);
    for (int i = 1; i <= KEPT_PROMPTS + 5; i++) {
        char line[32];
        snprintf(line, sizeof line, "prompt %d", i);
        assert_true(history_add(path, line));
    }
    check_lines(path, KEPT_PROMPTS, "prompt 6", "prompt 1005");
}

TEST(damaged_lines_are_left_out)
{
    static const char bytes[] = "uno\n\n\xff\xfe\ndos\nand no end";
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "history", bytes, strlen(bytes));
    check_lines(path, 3, "uno", "and no end");
}

TEST(what_cannot_be_written_is_left_alone)
{
    SCRATCH(folder);
    assert_false(history_add(folder, "un gato"));
    assert_false(history_add("/proc/nowhere/history", "un gato"));
}
