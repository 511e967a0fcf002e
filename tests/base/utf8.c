/* utf8.c, display.c: every code point is decoded as it was encoded, what is not UTF-8 is passed
 * byte by byte, and the classes are Unicode's. What is shown holds nothing that a terminal obeys,
 * quoted text stays text, and words fit their columns. */
#include <ctype.h>

#include "base/base.h"
#include "base/utf8.h"
#include "tests/helpers/test.h"

static bool is_surrogate(int32_t c)
{
    return c >= 0xD800 && c < 0xE000;
}

TEST(every_code_point_is_decoded)
{
    for (int32_t c = 0; c <= 0x10FFFF; c++) {
        if (is_surrogate(c))
            continue;
        char bytes[4];
        const char *at = bytes;
        const size_t size = utf8_put(bytes, c);
        assert_int_equal(size, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        if (utf8_next(&at, bytes + size) != c || at != bytes + size)
            fail_msg("U+%04X is not decoded", (unsigned)c);
        /* Without its last byte it is not UTF-8. */
        at = bytes;
        if (size > 1 && (utf8_next(&at, bytes + size - 1) != -1 || at != bytes + 1))
            fail_msg("U+%04X cut short is taken for a code point", (unsigned)c);
    }
}

TEST(what_is_not_utf8_is_passed_byte_by_byte)
{
    static const char *const bad[] = {
        "\x80",         "\xC0\xAF",         "\xC1\xBF",         "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xFF"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *at = bad[i], *end = at + strlen(at);
        assert_false(utf8_is_valid(at, strlen(at)));
        for (int byte = 1; at < end; byte++) {
            assert_int_equal(utf8_next(&at, end), -1);
            assert_ptr_equal(at, bad[i] + byte);
        }
    }
    assert_true(utf8_is_valid("el niño \0犬", 13));
    assert_true(utf8_is_valid("", 0));
    assert_false(utf8_is_valid("ñ", 1));
}

TEST(white_space_is_unicodes)
{
    /* All of Unicode's White_Space: PropList.txt. */
    static const int spaces[] = {0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,
                                 0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                 0x2029, 0x202F, 0x205F, 0x3000};
    const size_t count = COUNT_OF(spaces);
    size_t next = 0;
    for (int c = 0; c <= 0x10FFFF; c++) {
        const bool space = next < count && spaces[next] == c;
        next += space;
        if (is_space(c) != space)
            fail_msg("U+%04X is%s white space", (unsigned)c, space ? "" : " no");
    }
    assert_int_equal(next, count);
}

TEST(ascii_punctuation_is_that_of_c)
{
    for (int c = 1; c < 0x80; c++)
        if (is_punctuation(c) != (ispunct(c) != 0))
            fail_msg("'%c' is taken wrongly", c);
}

TEST(code_points_are_in_their_classes)
{
    static const struct {
        int32_t c;
        bool punctuation, opening, letter, combining, invisible, control;
    } cases[] = {
        {'a', .letter = true},
        {0xF1 /* ñ */, .letter = true},
        {'7', .letter = true},
        {'_', .punctuation = true, .letter = true},
        {'(', .punctuation = true, .opening = true},
        {')', .punctuation = true},
        {0xBF /* ¿ */, .punctuation = true, .opening = true},
        {0xA1 /* ¡ */, .punctuation = true, .opening = true},
        {0x201C /* “ */, .punctuation = true, .opening = true},
        {0x3002 /* 。 */, .punctuation = true},
        {0x20AC /* € */, .letter = false},
        {0x24B6 /* Ⓐ */, .letter = true},
        {0x301 /* acute */, .letter = true, .combining = true},
        {' ', .invisible = true},
        {'\n', .invisible = true, .control = true},
        {0x1B, .invisible = true, .control = true},
        {0x9B, .invisible = true, .control = true},
        {0x200B, .invisible = true},
        {0x200C, .letter = true},
        {0x202E, .invisible = true, .control = true},
        {0x2028, .invisible = true, .control = true},
        {0xE000, .invisible = true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int32_t c = cases[i].c;
        if (is_punctuation(c) != cases[i].punctuation || is_opening(c) != cases[i].opening ||
            is_word_letter(c) != cases[i].letter || is_combining(c) != cases[i].combining ||
            is_invisible(c) != cases[i].invisible || is_control(c) != cases[i].control)
            fail_msg("U+%04X is in a wrong class", (unsigned)c);
    }
}

TEST(messages_are_made_harmless)
{
    static const char *const cases[][2] = {
        {"el niño ¿qué? 犬 \U0001F415 a\u0301", "el niño ¿qué? 犬 \U0001F415 a\u0301"},
        {"\033[2J\n\x7F", "?[2J??"},
        {"a\302\205\302\233b", "a????b"},
        {"a\u202Eb\u2066\u200F\u061C\u2028", "a???b???????????"},
        {"\x9B \xC3 \xE2\x80", "? ? ??"},                          /* cut short */
        {"\xC0\x9B \xE0\x82\x9B \xF0\x80\x82\x9B", "?? ??? ????"}, /* longer than it needs */
        {"\xED\xA0\x80 \xF4\x90\x80\x80 \xF8\x91\x88\x9B\x80", "??? ???? ?????"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTOFREE char *text = format_text("%s", cases[i][0]);
        text_sanitize(text);
        assert_string_equal(text, cases[i][1]);
    }
    assert_non_null(strstr(APART(warn("%s", "a\033[2J\nb")).said, ": a?[2J?b\n"));
}

/* ---- What is shown ---- */

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
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        AUTOFREE char *shown = display_token(tokens[i][0]);
        assert_string_equal(shown, tokens[i][1]);
    }
    AUTOFREE char *text = display_text("un gato\n"), *part = display_part("\u0301 un\tgato\n");
    assert_string_equal(text, "un gato↵");
    assert_string_equal(part, "\u0301 un → gato\n     ");
    assert_int_equal(display_width("niño"), 4);
    assert_int_equal(display_width("犬"), 2);
}

static void fit_left(FILE *out, const char *text)
{
    put_fitted(out, text, 5, false);
}

static void fit_right(FILE *out, const char *text)
{
    put_fitted(out, text, 5, true);
}

static void assert_put(void (*put)(FILE *out, const char *text), const char *text,
                       const char *wanted)
{
    AUTOFREE char *got;
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
