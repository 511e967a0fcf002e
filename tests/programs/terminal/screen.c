/* screen.c (test): paragraphs break between words, counts have the right plural, and a clock that
 * stands still gives no absurd speed. */

#include "programs/terminal/screen.h"
#include "tests/helpers/close.h"

TEST(counts_and_times_read_well)
{
    assert_string_equal(thousands(0).text, "0");
    assert_string_equal(thousands(999).text, "999");
    assert_string_equal(thousands(1234567).text, "1,234,567");
    assert_string_equal(plural(1, "layer", "layers").text, "1 layer");
    assert_string_equal(plural(0, "layer", "layers").text, "0 layers");
    assert_string_equal(plural(1000, "token", "tokens").text, "1,000 tokens");
    assert_string_equal(duration(0.04).text, "0.0s");
    assert_string_equal(duration(75).text, "1m15s");
    assert_string_equal(duration(7265).text, "2h01m");
}

TEST(no_speed_is_told_if_no_time_has_passed)
{
    assert_string_equal(rate_per_second(3000, 1.5).text, "2,000");
    assert_string_equal(rate_per_second(3000, 0).text, "-");
    assert_string_equal(rate_per_second(0, 0).text, "-");
}

static void check_paragraph(const char *columns, const char *label, const char *text,
                            const char *expected)
{
    const Screen screen = {false, "", ""};
    setenv("COLUMNS", columns, 1);
    capture_begin();
    screen_paragraph(&screen, label, "%s", text);
    AUTOFREE char *printed = capture_end();
    assert_string_equal(printed, expected);
}

TEST(a_paragraph_breaks_between_words)
{
    check_paragraph("20", "text", "one two", "text    one two\n");
    check_paragraph("20", "text", "one two three", "text    one two\n        three\n");
    check_paragraph("20", "text", "a-word-of-24-columns-and x", /* never broken */
                    "text    a-word-of-24-columns-and\n        x\n");
    check_paragraph("20", "text", "ñññññ ñññññ ñ",
                    "text    ñññññ ñññññ\n        ñ\n"); /* columns, not bytes */
    check_paragraph("20", "text", "one\033two",
                    "text    one?two\n"); /* no orders to the terminal */
}

TEST(a_paragraph_in_another_language)
{
    setenv("LC_ALL", "es_MX.UTF-8", 1);
    check_paragraph("20", "losses", "one two", "pérdida one two\n");
    assert_string_equal(plural(2, "evaluation", "evaluations").text, "2 evaluaciones");
    setenv("LC_ALL", "C", 1);
}

/* An error that ends the program is printed after standard output was flushed. */
TEST(a_status_line_is_removed_by_what_comes_next)
{
    const Screen screen = {true, "", ""};
    char *printed;
    size_t size;
    FILE *const output = stdout;
    stdout = memory_stream(&printed, &size);
    screen_status(&screen, "reading");
    assert_string_equal(printed, "\rreading\033[K");
    screen_status(&screen, "");
    printf("done\n");
    fclose(stdout);
    stdout = output;
    assert_string_equal(printed, "\rreading\033[K\r\033[K\r\033[Kdone\n");
    free(printed);
}
