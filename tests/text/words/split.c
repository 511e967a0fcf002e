/* split.c: where the words, punctuation marks and characters of a text begin and end. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/helpers/test.h"
#include "text/encoder.h"

/* The next character, as a text of characters is cut; white space is one too. */
static bool next_character(const char **at, const char *end, Span *character)
{
    if (*at == end)
        return false;
    FREED_BY(vocabulary_free) Vocabulary none = vocabulary_new();
    FREED_BY(token_cache_free) TokenCache cache = token_cache_new(TOKENIZER_CHAR, 1, 0);
    Span text = {*at, end};
    assert_int_equal(token_cache_character(&cache, &none, &text, character), -1);
    *at = text.begin;
    return true;
}

/* The tokens of a text, each followed by a bar. */
static void assert_cut(const char *text, bool characters, Punctuation punctuation,
                       const char *wanted)
{
    char got[1024], *put = got;
    const size_t size = strlen(text);
    char *copy = malloc(size + 1); /* without the 0: a sanitizer sees a read beyond the end */
    memcpy(copy, text, size);
    const char *at = copy, *end = copy + size;
    Span token;
    while (characters ? next_character(&at, end, &token)
                      : split_word(&at, end, punctuation, &token)) {
        assert_true(token.begin < token.end && token.end == at && at <= end);
        put += sprintf(put, "%.*s|", (int)(token.end - token.begin), token.begin);
    }
    *put = 0;
    assert_ptr_equal(at, end);
    assert_false(split_word(&at, end, punctuation, &token)); /* and so it stays */
    assert_string_equal(got, wanted);
    if (!characters)
        assert_int_equal(is_blank((Span){copy, end}), !*wanted);
    free(copy);
}

static void assert_tokens(const char *text, bool characters, const char *wanted)
{
    assert_cut(text, characters, PUNCTUATION_ALONE, wanted);
}

TEST(any_white_space_separates_words)
{
    /* All of Unicode's White_Space: PropList.txt. */
    static const int spaces[] = {0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,
                                 0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                 0x2029, 0x202F, 0x205F, 0x3000};
    const size_t count = sizeof spaces / sizeof *spaces;
    for (size_t i = 0; i < count; i++) {
        char text[16] = "a";
        size_t size = 1 + utf8_put(text + 1, spaces[i]);
        size += utf8_put(text + size, spaces[i]);
        memcpy(text + size, "b", 2);
        assert_tokens(text, false, "a|b|");
        assert_tokens(text + 1, false, "b|");
    }
}

/* Letters are compared eight at once: any ASCII character ends a word of any size, or does not. */
TEST(words_of_any_size)
{
    for (int c = 1; c < 128; c++)
        for (int size = 1; size < 20; size++) {
            char text[64], wanted[128];
            const char *word = &"abcZ0189YzAbcdefghijkl"[size % 3];
            snprintf(text, sizeof text, "%.*s%c12345678", size, word, c);
            if (isspace(c))
                snprintf(wanted, sizeof wanted, "%.*s|12345678|", size, word);
            else if (ispunct(c))
                snprintf(wanted, sizeof wanted, "%.*s|%c|12345678|", size, word, c);
            else
                snprintf(wanted, sizeof wanted, "%s|", text);
            assert_tokens(text, false, wanted);
        }
}

TEST(punctuation_marks_stand_alone)
{
    for (int c = '!'; c < 0x7F; c++)
        if (ispunct(c)) {
            char text[8], wanted[16];
            snprintf(text, sizeof text, "a%cb%c%c", c, c, c);
            snprintf(wanted, sizeof wanted, "a|%c|b|%c|%c|", c, c, c);
            assert_tokens(text, false, wanted);
        }
    assert_tokens("¿Qué?¡No!", false, "¿|Qué|?|¡|No|!|");
    assert_tokens("«a»—b…", false, "«|a|»|—|b|…|");
    assert_tokens("–‘’“”„‹›·§", false, "–|‘|’|“|”|„|‹|›|·|§|");
    assert_tokens("日本、東京。", false, "日本|、|東京|。|");
    assert_tokens("a‿b⟨c⟩d؟", false, "a|‿|b|⟨|c|⟩|d|؟|");
    /* Symbols, and what has no width, are parts of words. */
    assert_tokens("5€ 3×4 1ª 20° ©x ´ a\u200Bb \u00ADc \uFEFFd", false,
                  "5€|3×4|1ª|20°|©x|´|a\u200Bb|\u00ADc|\uFEFFd|");
}

TEST(words_end_at_white_space)
{
    assert_tokens("", false, "");
    assert_tokens(" \t\n", false, "");
    assert_tokens("el perro\n come ", false, "el|perro|come|");
    assert_tokens("abc123 42 3.14", false, "abc123|42|3|.|14|");
    assert_tokens("👍🏽👍 hola👍", false, "👍🏽👍|hola👍|");
    assert_tokens("x\u0307\u0323 \u0301", false, "x\u0307\u0323|\u0301|");
    assert_tokens("[bos", false, "[|bos|");
    /* A word ends at the end, whatever follows it. */
    const char *text = "perro gato", *at = text;
    Span word;
    assert_true(split_word(&at, text + 3, PUNCTUATION_ALONE, &word));
    assert_ptr_equal(word.begin, text);
    assert_ptr_equal(word.end, text + 3);
    assert_false(split_word(&at, text + 3, PUNCTUATION_ALONE, &word));
}

/* As the tokenizers library cuts with its WhitespaceSplit and its Whitespace. */
TEST(ways_of_splitting_punctuation)
{
    static const struct {
        const char *text, *in_words, *in_runs;
    } cases[] = {
        {"", "", ""},
        {" ¿Qué?... ", "¿Qué?...|", "¿|Qué|?...|"},
        {"a.b «c»\u00A0d", "a.b|«c»|d|", "a|.|b|«|c|»|d|"},
        {"_x_y 3.14€ +5", "_x_y|3.14€|+5|", "_x_y|3|.|14|€|+|5|"},
        {"n\u0303 \u0301 x\u200Dy Ⓐb ½ Ⅷ", "n\u0303|\u0301|x\u200Dy|Ⓐb|½|Ⅷ|",
         "n\u0303|\u0301|x\u200Dy|Ⓐb|½|Ⅷ|"},
        {"hola👍👍, 日本、東", "hola👍👍,|日本、東|", "hola|👍👍,|日本|、|東|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_cut(cases[i].text, false, PUNCTUATION_IN_WORDS, cases[i].in_words);
        assert_cut(cases[i].text, false, PUNCTUATION_IN_RUNS, cases[i].in_runs);
    }
    assert_cut("a..", true, PUNCTUATION_IN_RUNS, "a|.|.|"); /* characters have no marks */
}

TEST(characters_are_code_points)
{
    assert_tokens("", true, "");
    assert_tokens("a b\n", true, "a| |b|\n|");
    assert_tokens("¿ñ\u3000x\u0307\u0323", true, "¿|ñ|\u3000|x|\u0307|\u0323|");
    assert_tokens("👍🏽", true, "👍|🏽|");
}

TEST(lines)
{
    const char *text = "a b\n\nc\n", *at = text, *end = text + strlen(text);
    static const char *const wanted[] = {"a b", "", "c"};
    Span line;
    for (size_t i = 0; i < 3; i++) {
        assert_true(split_line(&at, end, &line));
        assert_int_equal(line.end - line.begin, strlen(wanted[i]));
        assert_memory_equal(line.begin, wanted[i], strlen(wanted[i]));
    }
    assert_false(split_line(&at, end, &line)); /* no empty line after the last end */
    at = text;
    assert_true(split_line(&at, text + 2, &line)); /* the last line needs no end */
    assert_ptr_equal(line.end, text + 2);
    assert_false(split_line(&at, text + 2, &line));
}

/* The parts of a text, each followed by a bar. */
static void assert_parts(const char *text, TextCut cut, const char *wanted)
{
    char got[256] = "", *put = got;
    Span part;
    for (const char *at = text, *end = text + strlen(text); split_part(&at, end, cut, &part);)
        put += sprintf(put, "%.*s|", (int)(part.end - part.begin), part.begin);
    assert_string_equal(got, wanted);
}

TEST(a_text_is_cut_into_parts)
{
    static const char text[] = "a b\tc\n\n \t\n\td\te \n\tf\n";
    assert_parts(text, CUT_NOWHERE, "a b\tc\n\n \t\n\td\te \n\tf\n|");
    assert_parts(text, CUT_LINES, "a b\tc|\td\te |\tf|");
    assert_parts(text, CUT_SIDES, "a b|c|d|e |f|");
    assert_parts("a\tb", CUT_SIDES, "a|b|"); /* without an end */
    assert_parts("", CUT_NOWHERE, "");
    assert_parts("\n\t", CUT_SIDES, "");
}

TEST(a_pair_has_one_tab_and_two_sides)
{
    static const char *const none[] = {
        "", "a", "a\t", "\ta", " \ta", "a\t \u3000", "a\tb\tc", "a\t\tb", "\ta\tb", "a\tb\t", "\t"};
    Span source, target;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(split_pair((Span){none[i], none[i] + strlen(none[i])}, &source, &target));
    const char *pair = " a b \t c"; /* white space within the sides stays theirs */
    assert_true(split_pair((Span){pair, pair + strlen(pair)}, &source, &target));
    assert_ptr_equal(source.begin, pair);
    assert_ptr_equal(source.end, pair + 5);
    assert_ptr_equal(target.begin, pair + 6);
    assert_ptr_equal(target.end, pair + 8);
}
