/* test_text.c: what a text file may hold, how it is cleaned, and where it is split. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "data/text.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"

/* Bytes with what belongs to them: a literal may hold a 0. */
typedef struct {
    const char *bytes;
    size_t size;
    bool lower;
} Raw;
#define RAW(literal)                       \
    {                                      \
        literal, sizeof literal - 1, false \
    }

/* In a block of just this size, so that a sanitizer sees a read beyond its end. */
static char *exactly(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

static void clean_it(void *context)
{
    const Raw *raw = context;
    size_t size;
    char *clean, *copy = exactly(raw->bytes, raw->size);
    char *wrong = text_clean("a.txt", copy, raw->size, raw->lower, &clean, &size);
    free(copy);
    if (wrong)
        die("%s", wrong);
    free(clean);
}

static void assert_clean(const char *bytes, bool lower, const char *wanted)
{
    size_t size;
    char *clean, *copy = exactly(bytes, strlen(bytes));
    assert_null(text_clean("a.txt", copy, strlen(bytes), lower, &clean, &size));
    assert_string_equal(clean, wanted);
    assert_int_equal(size, strlen(wanted)); /* and so the 0 stands behind the last byte */
    free(clean);
    free(copy);
}

/* ---- UTF-8 ---- */

static void test_bad_bytes(void **state)
{
    (void)state;
    static const struct {
        Raw raw;
        const char *place, *byte;
    } cases[] = {
        {RAW("\x80"), "a.txt:1:1:", "0x80"},     /* continues nothing */
        {RAW("abc\xF1o"), "a.txt:1:4:", "0xF1"}, /* Latin-1 */
        {RAW("uno\ndos\xE9\ntres\n"), "a.txt:2:4:", "0xE9"},
        {RAW("uno\r\n\r\n\xFF"), "a.txt:3:1:", "0xFF"},
        {RAW("\xC3\xA1\xC3"), "a.txt:1:2:", "0xC3"},        /* cut off by the end */
        {RAW("\xC3\xA1\xE2\x82\nx"), "a.txt:1:2:", "0xE2"}, /* by a line's end */
        {RAW("\xF0\x9F\x98"), "a.txt:1:1:", "0xF0"},
        {RAW("\xC0\xAF"), "a.txt:1:1:", "0xC0"}, /* longer than need be */
        {RAW("\xC1\xBF"), "a.txt:1:1:", "0xC1"},
        {RAW("\xE0\x9F\xBF"), "a.txt:1:1:", "0xE0"},
        {RAW("\xF0\x8F\xBF\xBF"), "a.txt:1:1:", "0xF0"},
        {RAW("\xED\xA0\x80"), "a.txt:1:1:", "0xED"}, /* surrogates */
        {RAW("\xED\xBF\xBF"), "a.txt:1:1:", "0xED"},
        {RAW("\xF4\x90\x80\x80"), "a.txt:1:1:", "0xF4"}, /* beyond U+10FFFF */
        {RAW("\xF5\x80\x80\x80"), "a.txt:1:1:", "0xF5"},
        {RAW("\xF8\x88\x80\x80\x80"), "a.txt:1:1:", "0xF8"}, /* five bytes */
        {RAW("\xFE"), "a.txt:1:1:", "0xFE"},
        {RAW("\xEF\xBB\xBF"
             "a\xFF"),
         "a.txt:1:2:", "0xFF"}, /* the mark is no column */
        {RAW("\xC3\xB1"
             "and\xC3\xBA\xFF"),
         "a.txt:1:6:", "0xFF"}, /* columns, not bytes */
        {RAW("\xF0\x9F\x98\x80\xFF"), "a.txt:1:2:", "0xFF"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Raw raw = cases[i].raw;
        assert_dies(clean_it, &raw, cases[i].place, cases[i].byte, "iconv");
    }
    static const Raw zeros[] = {RAW("a\0b"), RAW("\xC3\xA1\0b")};
    for (size_t i = 0; i < 2; i++) {
        Raw raw = zeros[i];
        assert_dies(clean_it, &raw, "a.txt:1:2:", "0x00");
    }
}

static void test_good_bytes(void **state)
{
    (void)state;
    /* The first and the last of each length, and beside the surrogates. */
    static const char *const good[] = {
        "",
        "a",
        "\x01",
        "\x7F",
        "\xC2\x80",
        "\xDF\xBF",
        "\xE0\xA0\x80",
        "\xED\x9F\xBF",
        "\xEE\x80\x80",
        "\xEF\xBF\xBD",
        "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF",
        "el perro\n\ncome \t un hueso",
        "¿Qué? ¡Ñandú!\n",
        "👍🏽\n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_clean(good[i], false, good[i]);
}

static void test_marks_and_line_ends(void **state)
{
    (void)state;
    assert_clean("\xEF\xBB\xBFhola\n", false, "hola\n");
    assert_clean("\xEF\xBB\xBF", false, "");
    assert_clean("\xEF\xBB\xBF\xEF\xBB\xBF", false, "\xEF\xBB\xBF"); /* only the first is one */
    assert_clean("a\n\xEF\xBB\xBF", false, "a\n\xEF\xBB\xBF");
    assert_clean("a\r\nb\r\n\r\nc", false, "a\nb\n\nc");
    assert_clean("a\rb\nc\r", false, "a\rb\nc\r"); /* alone it ends no line */
    assert_clean("a\r\r\n", false, "a\r\n");
    assert_clean("\r\n", false, "\n");
    assert_clean("\xC3\xA9\r\n\xC3\xA9\r\n", false, "é\né\n");
}

/* ---- NFC and lower case ---- */

/* Putting marks in order takes the square of their number: 200,000 of them took a minute. */
static void test_many_marks(void **state)
{
    (void)state;
    enum { MOST = 100 };
    char line[3 + 2 * (MOST + 1) + 1] = "b\nx"; /* x̂ is two characters */
    for (int i = 0; i <= MOST; i++)
        memcpy(line + 3 + 2 * i, "\xCC\x82", 2);
    Raw raw = {line, strlen(line), false};
    assert_dies(clean_it, &raw, "a.txt:2:102:", "more than 100 accents");
    memcpy(line + 3 + MOST, "xx", 2); /* two letters share them */
    assert_clean(line, false, line);
}

static void test_nfc(void **state)
{
    (void)state;
    assert_clean("cafe\xCC\x81\n", false, "caf\xC3\xA9\n");
    assert_clean("e\xCC\x81\ne\xCC\x81", false, "\xC3\xA9\n\xC3\xA9"); /* nor an end */
    assert_clean("n\xCC\x83u\xCC\x88", false, "\xC3\xB1\xC3\xBC");
    assert_clean("e\n\xCC\x81", false, "e\n\xCC\x81");                /* not across lines */
    assert_clean("a\xCC\x87\xCC\xA3", false, "\xE1\xBA\xA1\xCC\x87"); /* marks put in order */
    assert_clean("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8", false, "\xEA\xB0\x81"); /* 각 */
    assert_clean("\xE2\x84\xAB", false, "\xC3\x85");                 /* ångström's own sign */
    assert_clean("\xE0\xA5\x98", false, "\xE0\xA4\x95\xE0\xA4\xBC"); /* never composed */
    assert_clean("\xEF\xAC\x81 m\xC2\xB2", false, "\xEF\xAC\x81 m\xC2\xB2"); /* no NFKC */
}

static void test_lower(void **state)
{
    (void)state;
    assert_clean("EL Perro 12!\n", true, "el perro 12!\n");
    assert_clean("EL Perro", false, "EL Perro");
    assert_clean("ÁÉÑ ÜÇ ÆØ", true, "áéñ üç æø");
    assert_clean("E\xCC\x81", true, "\xC3\xA9");
    assert_clean("Straße \xE1\xBA\x9E", true, "straße ß");
    assert_clean("İI", true, "i\xCC\x87i");                     /* alone becomes two */
    assert_clean("I\xCC\x87", true, "i\xCC\x87");               /* the same, composed first */
    assert_clean("ΟΔΟΣ", true, "οδοσ");                         /* no final sigma */
    assert_clean("\xC7\x84\xC7\x85", true, "\xC7\x86\xC7\x86"); /* a title case letter too */
    assert_clean("\xE2\x84\xAA", true, "k");                    /* kelvin */
    assert_clean("\xF0\x90\x90\x80", true, "\xF0\x90\x90\xA8"); /* four bytes */
    assert_clean("\xE1\x8E\xA0", true, "\xEA\xAD\xB0");
    assert_clean("日本 👍", true, "日本 👍");
}

/* ---- Reserved words ---- */

static void test_reserved(void **state)
{
    (void)state;
    static const struct {
        Raw raw;
        const char *place, *name;
    } cases[] = {
        {RAW("[bos]"), "a.txt:1:", "[bos]"},
        {RAW("uno\ndos [eos] tres\n"), "a.txt:2:", "[eos]"},
        {RAW("uno\r\n\r\nx[unk]x"), "a.txt:3:", "[unk]"},
        {RAW("ñ [unk]"), "a.txt:1:", "[unk]"},
        {{"[BOS]", 5, true}, "a.txt:1:", "[bos]"},
        {{"a\n\xC3\x91 [UnK]", 10, true}, "a.txt:2:", "[unk]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Raw raw = cases[i].raw;
        assert_dies(clean_it, &raw, cases[i].place, cases[i].name);
    }
    assert_clean("[BOS] [bos [ eos] bos] [un\nk]", false, "[BOS] [bos [ eos] bos] [un\nk]");
    assert_clean("[BOS [ EOS]", true, "[bos [ eos]");
}

/* ---- Files ---- */

static void read_it(void *path)
{
    Text text = text_read(path, false);
    text_free(&text);
}

static void assert_refused(const char *folder, const void *bytes, size_t size, const char *part)
{
    char *path = scratch_write(folder, "some.txt", bytes, size);
    assert_dies(read_it, path, path, part);
    free(path);
}

static void test_refused_files(void **state)
{
    (void)state;
    char *folder = scratch_new(), *absent = format_text("%s/absent.txt", folder);
    assert_dies(read_it, absent, "cannot open", absent, "No such file");
    assert_dies(read_it, folder, folder, "directory");
    assert_dies(read_it, "/dev/zero", "/dev/zero", "byte 1 is 0");
    assert_refused(folder, "", 0, "is empty");
    assert_refused(folder, "uno\ndos\0tres", 12, "byte 8 is 0");
    assert_refused(folder,
                   "uno\nma\xF1"
                   "ana\n",
                   11, "some.txt:2:3: byte 0xF1");
    assert_refused(folder, "uno [bos]", 9, "some.txt:1: the text spells out [bos]");

    /* Behind what one read takes. */
    const size_t size = 300000;
    char *large = memset(malloc(size), 'a', size);
    large[size - 1] = 0;
    assert_refused(folder, large, size, "byte 300000 is 0");
    free(large);
    free(absent);
    scratch_remove(folder);
}

static void test_text_read(void **state)
{
    (void)state;
    static const char raw[] = "\xEF\xBB\xBF"
                              "E\xCC\x81l\r\nPerro";
    char *folder = scratch_new();
    char *path = scratch_write(folder, "some.txt", raw, sizeof raw - 1);
    Text text = text_read(path, true);
    assert_int_equal(text.raw.size, sizeof raw - 1);
    assert_memory_equal(text.raw.bytes, raw, sizeof raw);
    assert_int_equal(text.checksum, checksum_of(raw, sizeof raw - 1));
    assert_string_equal(text.clean, "\xC3\xA9l\nperro");
    assert_int_equal(text.size, strlen(text.clean));
    text_free(&text);
    free(path);
    scratch_remove(folder);
}

/* Reads the file at `path` as standard input; says on standard error what else it became. */
static void read_standard_input(void *path)
{
    dup2(open(path, O_RDONLY), STDIN_FILENO);
    Text text = text_read("-", false);
    fprintf(stderr, "read: %s", text.clean);
    text_free(&text);
}

static void test_standard_input(void **state)
{
    (void)state;
    char *folder = scratch_new();
    char *path = scratch_write(folder, "some.txt", "hola\n", 5);
    const Ending good = run_apart(read_standard_input, path);
    assert_int_equal(good.status, 0);
    assert_string_equal(good.said, "read: hola\n");
    free(path);
    path = scratch_write(folder, "some.txt", "a\n\xF1", 3);
    assert_dies(read_standard_input, path, "standard input:2:1:", "0xF1");
    assert_dies(read_standard_input, "/dev/null", "standard input is empty");
    free(path);
    scratch_remove(folder);
}

/* ---- Tokens ---- */

/* The tokens of a text with a bar behind each. */
static void assert_cut(const char *text, bool characters, Marks marks, const char *wanted)
{
    char got[1024], *put = got;
    const size_t size = strlen(text);
    char *copy = exactly(text, size);
    const char *at = copy, *end = copy + size, *token;
    while ((token = token_next(&at, end, characters, marks))) {
        assert_true(token < at && at <= end);
        put += sprintf(put, "%.*s|", (int)(at - token), token);
    }
    *put = 0;
    assert_ptr_equal(at, end);
    assert_null(token_next(&at, end, characters, marks)); /* and so it stays */
    assert_string_equal(got, wanted);
    free(copy);
}

static void assert_tokens(const char *text, bool characters, const char *wanted)
{
    assert_cut(text, characters, MARKS_ALONE, wanted);
}

static void test_white_space(void **state)
{
    (void)state;
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

static void test_punctuation(void **state)
{
    (void)state;
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

static void test_words(void **state)
{
    (void)state;
    assert_tokens("", false, "");
    assert_tokens(" \t\n", false, "");
    assert_tokens("el perro\n come ", false, "el|perro|come|");
    assert_tokens("abc123 42 3.14", false, "abc123|42|3|.|14|");
    assert_tokens("👍🏽👍 hola👍", false, "👍🏽👍|hola👍|");
    assert_tokens("x\u0307\u0323 \u0301", false, "x\u0307\u0323|\u0301|");
    assert_tokens("[bos", false, "[|bos|");
    /* The end counts, not what lies behind it. */
    const char *text = "perro gato", *at = text;
    assert_ptr_equal(token_next(&at, text + 3, false, MARKS_ALONE), text);
    assert_ptr_equal(at, text + 3);
    assert_null(token_next(&at, text + 3, false, MARKS_ALONE));
}

/* As the tokenizers library cuts with its WhitespaceSplit and its Whitespace. */
static void test_marks(void **state)
{
    (void)state;
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
        assert_cut(cases[i].text, false, MARKS_IN_WORDS, cases[i].in_words);
        assert_cut(cases[i].text, false, MARKS_IN_RUNS, cases[i].in_runs);
    }
    assert_cut("a..", true, MARKS_IN_RUNS, "a|.|.|"); /* characters have no marks */
}

static void test_characters(void **state)
{
    (void)state;
    assert_tokens("", true, "");
    assert_tokens("a b\n", true, "a| |b|\n|");
    assert_tokens("¿ñ\u3000x\u0307\u0323", true, "¿|ñ|\u3000|x|\u0307|\u0323|");
    assert_tokens("👍🏽", true, "👍|🏽|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_good_bytes),
        cmocka_unit_test(test_marks_and_line_ends),
        cmocka_unit_test(test_many_marks),
        cmocka_unit_test(test_nfc),
        cmocka_unit_test(test_lower),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_text_read),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_white_space),
        cmocka_unit_test(test_punctuation),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
