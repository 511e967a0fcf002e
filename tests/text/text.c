/* text.c: what a text file may hold, and how it is cleaned. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "tests/helpers/scratch.h"
#include "tests/helpers/test.h"
#include "text/text.h"

/* Bytes and their number, since a literal may hold a 0; and whether to lower-case them. */
typedef struct {
    const char *bytes;
    size_t size;
    bool lower;
} Raw;
#define RAW(literal)                       \
    {                                      \
        literal, sizeof literal - 1, false \
    }

/* A copy in a block of exactly this size, so that a sanitizer sees a read beyond its end. */
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
    FREED char *clean, *copy = exactly(raw->bytes, raw->size);
    char *wrong = text_clean("a.txt", copy, raw->size, raw->lower, &clean, &size);
    if (wrong)
        die("%s", wrong);
}

static void assert_clean(const char *bytes, TextForm form, const char *wanted)
{
    size_t size;
    FREED char *clean, *copy = exactly(bytes, strlen(bytes));
    assert_null(text_clean("a.txt", copy, strlen(bytes), form, &clean, &size));
    assert_string_equal(clean, wanted);
    assert_int_equal(size, strlen(wanted)); /* so that the 0 follows the last byte */
}

/* ---- UTF-8 ---- */

TEST(bytes_that_are_not_utf8_are_refused_with_their_place)
{
    static const struct {
        Raw raw;
        const char *place, *byte;
    } cases[] = {
        {RAW("\x80"), "a.txt:1:1:", "0x80"},     /* continues nothing */
        {RAW("abc\xF1o"), "a.txt:1:4:", "0xF1"}, /* Latin-1 */
        {RAW("uno\ndos\xE9\ntres\n"), "a.txt:2:4:", "0xE9"},
        {RAW("uno\r\n\r\n\xFF"), "a.txt:3:1:", "0xFF"},
        {RAW("\xC3\xA1\xC3"), "a.txt:1:2:", "0xC3"},        /* cut off by the end */
        {RAW("\xC3\xA1\xE2\x82\nx"), "a.txt:1:2:", "0xE2"}, /* cut off by a line end */
        {RAW("\xF0\x9F\x98"), "a.txt:1:1:", "0xF0"},
        {RAW("\xC0\xAF"), "a.txt:1:1:", "0xC0"}, /* overlong */
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
         "a.txt:1:2:", "0xFF"}, /* a byte order mark takes no column */
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

TEST(utf8_stays_as_it_is)
{
    /* The first and the last code points of each length, and those next to the surrogates. */
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

TEST(byte_order_marks_and_line_ends)
{
    assert_clean("\xEF\xBB\xBFhola\n", false, "hola\n");
    assert_clean("\xEF\xBB\xBF", false, "");
    assert_clean("\xEF\xBB\xBF\xEF\xBB\xBF", false, "\xEF\xBB\xBF"); /* only the first is one */
    assert_clean("a\n\xEF\xBB\xBF", false, "a\n\xEF\xBB\xBF");
    assert_clean("a\r\nb\r\n\r\nc", false, "a\nb\n\nc");
    assert_clean("a\rb\nc\r", false, "a\rb\nc\r"); /* by itself it ends no line, */
    assert_clean("a\rb\r\rc", false, "a\nb\n\nc"); /* unless nothing else does */
    assert_clean("a\r\r\n", false, "a\r\n");
    assert_clean("\r\n", false, "\n");
    assert_clean("\xC3\xA9\r\n\xC3\xA9\r\n", false, "é\né\n");
}

/* ---- NFC and lower case ---- */

/* NFC sorts accents in the square of their number: 200,000 of them took a minute. */
TEST(letters_with_too_many_accents_are_refused)
{
    enum { MOST = 100 };
    char line[3 + 2 * (MOST + 1) + 1] = "b\nx"; /* x̂ has no single code point */
    for (int i = 0; i <= MOST; i++)
        memcpy(line + 3 + 2 * i, "\xCC\x82", 2);
    Raw raw = {line, strlen(line), false};
    assert_dies(clean_it, &raw, "a.txt:2:102:", "more than 100 accents");
    memcpy(line + 3 + MOST, "xx", 2); /* two letters share them */
    assert_clean(line, false, line);
}

TEST(letters_and_accents_are_composed)
{
    assert_clean("cafe\xCC\x81\n", false, "caf\xC3\xA9\n");
    assert_clean("e\xCC\x81\ne\xCC\x81", false,
                 "\xC3\xA9\n\xC3\xA9"); /* a line end does not prevent it */
    assert_clean("n\xCC\x83u\xCC\x88", false, "\xC3\xB1\xC3\xBC");
    assert_clean("e\n\xCC\x81", false, "e\n\xCC\x81");                /* not across lines */
    assert_clean("a\xCC\x87\xCC\xA3", false, "\xE1\xBA\xA1\xCC\x87"); /* accents are sorted */
    assert_clean("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8", false, "\xEA\xB0\x81"); /* 각 */
    assert_clean("\xE2\x84\xAB", false, "\xC3\x85");                 /* ångström's own sign */
    assert_clean("\xE0\xA5\x98", false, "\xE0\xA4\x95\xE0\xA4\xBC"); /* never composed */
    assert_clean("\xEF\xAC\x81 m\xC2\xB2", false, "\xEF\xAC\x81 m\xC2\xB2"); /* no NFKC */
}

TEST(lower_case)
{
    assert_clean("EL Perro 12!\n", true, "el perro 12!\n");
    assert_clean("EL Perro", false, "EL Perro");
    assert_clean("ÁÉÑ ÜÇ ÆØ", true, "áéñ üç æø");
    assert_clean("E\xCC\x81", true, "\xC3\xA9");
    assert_clean("Straße \xE1\xBA\x9E", true, "straße ß");
    assert_clean("İI", true, "i\xCC\x87i");       /* the one letter that becomes two */
    assert_clean("I\xCC\x87", true, "i\xCC\x87"); /* the same, composed first */
    assert_clean("ΟΔΟΣ", true, "οδοσ");           /* no final sigma */
    assert_clean("\xC7\x84\xC7\x85", true, "\xC7\x86\xC7\x86"); /* also a title case letter */
    assert_clean("\xE2\x84\xAA", true, "k");                    /* kelvin */
    assert_clean("\xF0\x90\x90\x80", true, "\xF0\x90\x90\xA8"); /* four bytes */
    assert_clean("\xE1\x8E\xA0", true, "\xEA\xAD\xB0");
    assert_clean("日本 👍", true, "日本 👍");
}

/* ---- Files ---- */

static void read_it(void *path)
{
    FREED_BY(text_free) Text text = text_read(path, false);
}

static void assert_refused(const char *folder, const void *bytes, size_t size, const char *part)
{
    FREED char *path = scratch_write(folder, "some.txt", bytes, size);
    assert_dies(read_it, path, path, part);
}

TEST(files_that_are_not_texts_are_refused)
{
    SCRATCH(folder);
    FREED char *absent = format_text("%s/absent.txt", folder);
    assert_dies(read_it, absent, "cannot open", absent, "No such file");
    assert_dies(read_it, folder, folder, "directory");
    assert_dies(read_it, "/dev/zero", "/dev/zero", "byte 1 is 0");
    assert_refused(folder, "", 0, "is empty");
    assert_refused(folder, "uno\ndos\0tres", 12, "byte 8 is 0");
    assert_refused(folder,
                   "uno\nma\xF1"
                   "ana\n",
                   11, "some.txt:2:3: byte 0xF1");

    /* UTF-16, with a byte order mark and without, little and big end first. */
    assert_refused(folder,
                   "\xFF\xFE"
                   "e\0l\0",
                   6, "UTF-16; convert it: iconv -f UTF-16 -t UTF-8");
    assert_refused(folder, "\xFE\xFF\0e\0l", 6, "UTF-16");
    assert_refused(folder, "e\0l\0", 4, "UTF-16");
    assert_refused(folder, "\0e\0l", 4, "UTF-16");

    /* Beyond what one read takes. */
    const size_t size = 300000;
    FREED char *large = memset(malloc(size), 'a', size);
    large[size - 1] = 0;
    assert_refused(folder, large, size, "byte 300000 is 0");
}

TEST(a_file_is_read_and_cleaned)
{
    static const char raw[] = "\xEF\xBB\xBF"
                              "E\xCC\x81l\r\nPerro";
    SCRATCH(folder);
    FREED char *path = scratch_write(folder, "some.txt", raw, sizeof raw - 1);
    FREED_BY(text_free) Text text = text_read(path, true);
    assert_int_equal(text.raw.size, sizeof raw - 1);
    assert_memory_equal(text.raw.bytes, raw, sizeof raw);
    assert_int_equal(text.checksum, checksum_of(raw, sizeof raw - 1));
    assert_string_equal(text.clean, "\xC3\xA9l\nperro");
    assert_int_equal(text.size, strlen(text.clean));
}

/* Reads the file at `path` as standard input; prints the clean text on standard error. */
static void read_standard_input(void *path)
{
    dup2(open(path, O_RDONLY), STDIN_FILENO);
    FREED_BY(text_free) Text text = text_read("-", false);
    fprintf(stderr, "read: %s", text.clean);
}

TEST(standard_input_is_read)
{
    SCRATCH(folder);
    char *path = scratch_write(folder, "some.txt", "hola\n", 5);
    const ChildEnd good = run_apart(read_standard_input, path);
    assert_int_equal(good.status, 0);
    assert_string_equal(good.said, "read: hola\n");
    free(path);
    path = scratch_write(folder, "some.txt", "a\n\xF1", 3);
    assert_dies(read_standard_input, path, "standard input:2:1:", "0xF1");
    assert_dies(read_standard_input, "/dev/null", "standard input is empty");
    free(path);
}

/* Subwords give a text back byte for byte, but for the ends of its lines. */
TEST(a_text_may_stay_as_it_is)
{
    assert_clean("cafe\u0301 \u2126\r\nA", TEXT_AS_IS, "cafe\u0301 \u2126\nA");
    assert_clean("cafe\u0301 \u2126", TEXT_COMPOSED, "caf\u00E9 \u03A9");
}

/* Which line is no pair, and why; NULL: all are pairs. */
static void assert_pairs(const char *bytes, const char *said)
{
    FREED_BY(text_free)
    Text text = text_from("a.tsv", (Bytes){strdup(bytes), strlen(bytes)}, TEXT_COMPOSED);
    FREED char *wrong = text_check_pairs(&text);
    if (said) {
        assert_non_null(wrong);
        assert_non_null(strstr(wrong, said));
        assert_null(strchr(wrong, '\n'));
    } else {
        assert_null(wrong);
    }
}

TEST(a_line_that_is_no_pair_is_named)
{
    assert_pairs("a\tb\n\n \t \nc d\te f", NULL);
    assert_pairs("\xEF\xBB\xBF"
                 "a\tb\r\nc\td\r\n",
                 NULL);
    assert_pairs("a\tb\rc\td\r", NULL);
    assert_pairs("a\tb\nc\nd\n", "a.tsv:2: the line has no tab; a line of pairs is a source, one "
                                 "tab and a target; a model of --objective next reads any text");
    assert_pairs("a\tb\r\n\r\nc\td\te\r\n", "a.tsv:3: the line has more than one tab;");
    assert_pairs("a\tb\rc\t", "a.tsv:2: one side of the tab is empty;");
    assert_pairs("\ta", "a.tsv:1: one side of the tab is empty;");
    assert_pairs("a\t\tb", "a.tsv:1: the line has more than one tab;");
}
