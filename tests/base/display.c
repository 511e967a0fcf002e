/* display.c: what is shown holds nothing that a terminal obeys, quoted text stays text, and words
 * fit their columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/helpers/test.h"

TEST(what_cannot_be_seen_is_shown_as_its_number)
{
    static const char *const tokens[][2] = {
        {"perro", "perro"},
        {" ", "␣"},
        {"\n", "↵"},
        {"\t", "U+0009"},
        {"\033[2J", "U+001B[2J"},
        {"\xC2\x9B", "U+009B"},
        {"\u202E", "U+202E"},
        {"\u00A0", "U+00A0"},
        {"\x7F", "U+007F"},
        {"niño", "niño"},
        {"犬", "犬"},
        {"a\xFF", "a\\xFF"},
        {"\xC3", "\\xC3"},
        {"\u0301", "◌\u0301"},
        {"e\u0301", "e\u0301"},
        {"می\u200Cخ", "می\u200Cخ"},
    };
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        FREED char *shown = display_token(tokens[i][0]);
        assert_string_equal(shown, tokens[i][1]);
    }
    FREED char *text = display_text("un gato\n"), *part = display_part("\u0301 un\tgato\n");
    assert_string_equal(text, "un gato↵");
    assert_string_equal(part, "\u0301 un → gato\n     ");
    assert_int_equal(display_width("niño"), 4);
    assert_int_equal(display_width("犬"), 2);
}

typedef void Put(FILE *out, const char *text);

static void fit_left(FILE *out, const char *text)
{
    put_fitted(out, text, 5, false);
}

static void fit_right(FILE *out, const char *text)
{
    put_fitted(out, text, 5, true);
}

static void assert_put(Put *put, const char *text, const char *wanted)
{
    FREED char *got;
    size_t size;
    FILE *out = open_memstream(&got, &size);
    put(out, text);
    fclose(out);
    assert_string_equal(got, wanted);
}

TEST(quoted_text_stays_text_and_fits_its_columns)
{
    assert_put(put_json, "a\"b\\c\n\x7F", "\"a\\\"b\\\\c\\u000a\\u007f\"");
    assert_put(put_json, "</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
    assert_put(put_json, "ñ\u2028\xFF犬", "\"ñ\\u2028\\ufffd犬\"");
    assert_put(put_json, "\xC2\x9B\u202E\u200D \U000E0001",
               "\"\\u009b\\u202e\u200D \\udb40\\udc01\"");
    assert_put(put_xml, "<a b=\"c\">&ñ", "&lt;a b=&quot;c&quot;&gt;&amp;ñ");
    assert_put(fit_left, "gato", "gato ");
    assert_put(fit_right, "gato", " gato");
    assert_put(fit_left, "perro", "perro");
    assert_put(fit_right, "muchacho", "much…");
    assert_put(fit_left, "犬犬犬", "犬犬…");
    assert_put(fit_left, "a犬犬犬", "a犬… ");
}
