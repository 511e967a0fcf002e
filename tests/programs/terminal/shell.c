/* shell.c: words that are printed for a shell are the words that it then reads. */

#include "base/base.h"
#include "programs/terminal/options.h"
#include "tests/helpers/close.h"

static void assert_line(char *word, const char *wanted)
{
    AUTOFREE char *line = command_line((char *[]){word, NULL});
    assert_string_equal(line, wanted);
}

TEST(a_word_is_quoted_only_if_a_shell_needs_it)
{
    assert_line("runs/perro-2", "runs/perro-2");
    assert_line("ñandú", "ñandú");
    assert_line("", "''");
    assert_line("a b", "'a b'");
    assert_line("it's", "'it'\\''s'");
    assert_line("$HOME", "'$HOME'");
    assert_line("a;b", "'a;b'");
}

TEST(a_control_character_becomes_a_question_mark)
{
    assert_line("a\033[31mb", "'a?[31mb'");
    assert_line("a\nb", "'a?b'");
}

TEST(the_shell_reads_the_words_back)
{
    char *words[] = {"printf", "%s.", "a b", "it's", "*", "$x", "\"", "\\", "#", "ñ", "", NULL};
    char *line = command_line(words), got[64] = "";
    FILE *shell = popen(line, "r");
    assert_non_null(shell);
    assert_non_null(fgets(got, sizeof got, shell));
    pclose(shell);
    assert_string_equal(got, "a b.it's.*.$x.\".\\.#.ñ..");
    free(line);
}
