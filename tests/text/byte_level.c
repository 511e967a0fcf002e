/* byte_level.c: a text is cut into the words of GPT-2's pattern, and no byte of it is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/helpers/test.h"
#include "text/subwords/bpe.h"

/* The words of a text, each followed by a bar. */
static void assert_words(const char *text, const char *wanted)
{
    char got[1024], *put = got;
    const size_t size = strlen(text);
    FREED char *copy = malloc(size + 1); /* without the 0: a sanitizer sees a read beyond the end */
    memcpy(copy, text, size);
    const char *at = copy, *end = copy + size;
    Span word = {copy, copy};
    for (const char *before = copy; byte_level_word(&at, end, &word); before = at) {
        assert_ptr_equal(word.begin, before);
        assert_ptr_equal(word.end, at);
        put += sprintf(put, "%.*s|", (int)(word.end - word.begin), word.begin);
    }
    *put = 0;
    assert_ptr_equal(at, end);
    assert_string_equal(got, wanted);
}

TEST(words_numbers_and_others)
{
    assert_words("", "");
    assert_words("Hello world", "Hello| world|");
    assert_words("abc123 45,6", "abc|123| 45|,|6|");
    assert_words("¿Qué?... ¡No!", "¿|Qué|?...| ¡|No|!|");
    assert_words("a_b #[x] +=1", "a|_|b| #[|x|]| +=|1|");
    assert_words("日本、東京 👍🏽👍", "日本|、|東京| 👍🏽👍|");
    assert_words("x² ½Ⅷ٣", "x|²| ½Ⅷ٣|"); /* numbers of all three kinds */
    /* Marks are not letters: of a decomposed n with a tilde, and of Devanagari. */
    assert_words("n\u0303o कि", "n|\u0303|o| क|ि|");
    assert_words("a\u200Bb\uFEFFc", "a|\u200B|b|\uFEFF|c|");
    assert_words("a\u0378b", "a|\u0378|b|"); /* unassigned */
}

TEST(contractions)
{
    assert_words("It's I'm we'll you've they're she'd can't",
                 "It|'s| I|'m| we|'ll| you|'ve| they|'re| she|'d| can|'t|");
    assert_words("L'sa 'S o'clock 'l 'r", "L|'s|a| '|S| o|'|clock| '|l| '|r|");
    assert_words("'s 'tis ''s \"'s", "'s| '|tis| ''|s| \"'|s|");
    assert_words("'re've", "'re|'ve|");
    assert_words("L\u2019s", "L|\u2019|s|");
    assert_words("a'", "a|'|");
    assert_words("a'l", "a|'|l|");
}

TEST(white_space)
{
    assert_words(" ", " |");
    assert_words("a  ", "a|  |");
    assert_words("a b", "a| b|");
    assert_words("a  b", "a| | b|");
    assert_words("a   b", "a|  | b|");
    assert_words("a\nb\n\nc\n\n\nd\n", "a|\n|b|\n|\n|c|\n\n|\n|d|\n|");
    assert_words("a\n b\t\tc \td", "a|\n| b|\t|\t|c| |\t|d|");
    assert_words("a\u00A0b\u3000\u3000c \u2003d", "a|\u00A0|b|\u3000|\u3000|c| |\u2003|d|");
    assert_words("a \xC2\x85", "a| \xC2\x85|"); /* U+0085 */
    assert_words(" \u180E", " \u180E|");        /* no white space since Unicode 6.3 */
}

TEST(bytes_that_are_not_utf8_are_kept)
{
    assert_words("a\xFF\x80 \xC3", "a|\xFF\x80| \xC3|");
    assert_words("\xE2\x82 \xE2\x82\xAC", "\xE2\x82| \xE2\x82\xAC|");
}

TEST(every_byte_has_its_character)
{
    static const struct {
        unsigned char byte;
        int32_t character;
    } known[] = {{0, 0x100},    {'\n', 0x10A}, {' ', 0x120},  {'!', '!'},    {'~', '~'},
                 {0x7F, 0x121}, {0xA0, 0x142}, {0xA1, 0xA1},  {0xAC, 0xAC},  {0xAD, 0x143},
                 {0xAE, 0xAE},  {0xFF, 0xFF},  {0x80, 0x122}, {0x1F, 0x11F}, {0xC3, 0xC3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(byte_level_character(known[i].byte), known[i].character);
    int found = 0;
    for (int32_t c = -1; c < 0x200; c++) {
        const int byte = byte_level_byte(c);
        if (byte >= 0)
            assert_int_equal(byte_level_character((unsigned char)byte), c);
        found += byte >= 0;
    }
    assert_int_equal(found, 256);
}
