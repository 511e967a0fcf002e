/* split.c: where the words, punctuation marks and characters of a text begin and end. */
#include <ctype.h>

#include "base/utf8.h"
#include "tests/helpers/test.h"
#include "text/encoder.h"

/* The words of a text, each followed by a bar. */
static void assert_cut(const char *text, Punctuation punctuation, const char *wanted)
{
    char got[1024], *put = got;
    const size_t size = strlen(text);
    AUTOFREE char *copy = without_end(text);
    const char *at = copy, *end = copy + size;
    for (Span word; split_word(&at, end, punctuation, &word);) {
        assert_true(word.begin < word.end && word.end == at && at <= end);
        put += sprintf(put, "%.*s|", (int)(word.end - word.begin), word.begin);
    }
    *put = 0;
    assert_ptr_equal(at, end);
    assert_string_equal(got, wanted);
    assert_int_equal(is_blank((Span){copy, end}), !*wanted);
}

static void assert_words(const char *text, const char *wanted)
{
    assert_cut(text, PUNCTUATION_ALONE, wanted);
}

TEST(any_white_space_separates_words)
{
    for (int c = 1; c < 0x4000; c++)
        if (is_space(c)) {
            char text[16] = "a";
            size_t size = 1 + utf8_put(text + 1, c);
            size += utf8_put(text + size, c);
            memcpy(text + size, "b", 2);
            assert_words(text, "a|b|");
            assert_words(text + 1, "b|");
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
            assert_words(text, wanted);
        }
}

TEST(punctuation_marks_stand_alone)
{
    assert_words("¿Qué?¡No!", "¿|Qué|?|¡|No|!|");
    assert_words("«a»—b…", "«|a|»|—|b|…|");
    assert_words("–‘’“”„‹›·§", "–|‘|’|“|”|„|‹|›|·|§|");
    assert_words("日本、東京。", "日本|、|東京|。|");
    assert_words("a‿b⟨c⟩d؟", "a|‿|b|⟨|c|⟩|d|؟|");
    /* Symbols, and what has no width, are parts of words. */
    assert_words("5€ 3×4 1ª 20° ©x ´ a\u200Bb \u00ADc \uFEFFd",
                 "5€|3×4|1ª|20°|©x|´|a\u200Bb|\u00ADc|\uFEFFd|");
}

TEST(words_end_at_white_space)
{
    assert_words("", "");
    assert_words(" \t\n", "");
    assert_words("el perro\n come ", "el|perro|come|");
    assert_words("abc123 42 3.14", "abc123|42|3|.|14|");
    assert_words("👍🏽👍 hola👍", "👍🏽👍|hola👍|");
    assert_words("x\u0307\u0323 \u0301", "x\u0307\u0323|\u0301|");
    assert_words("[bos", "[|bos|");
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_cut(cases[i].text, PUNCTUATION_IN_WORDS, cases[i].in_words);
        assert_cut(cases[i].text, PUNCTUATION_IN_RUNS, cases[i].in_runs);
    }
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
    assert_parts("A: a b \n\nB:c: d\n", CUT_TURNS, "a b|c: d|");
    assert_parts("a\tb", CUT_SIDES, "a|b|"); /* without an end */
    assert_parts("", CUT_NOWHERE, "");
    assert_parts("\n\t", CUT_SIDES, "");
}

TEST(a_pair_has_one_tab_and_two_sides)
{
    static const char *const none[] = {
        "", "a", "a\t", "\ta", " \ta", "a\t \u3000", "a\tb\tc", "a\t\tb", "\ta\tb", "a\tb\t", "\t"};
    Span source, target;
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_false(split_pair((Span){none[i], none[i] + strlen(none[i])}, &source, &target));
    const char *pair = " a b \t c"; /* white space within the sides stays theirs */
    assert_true(split_pair((Span){pair, pair + strlen(pair)}, &source, &target));
    assert_ptr_equal(source.begin, pair);
    assert_ptr_equal(source.end, pair + 5);
    assert_ptr_equal(target.begin, pair + 6);
    assert_ptr_equal(target.end, pair + 8);
}
