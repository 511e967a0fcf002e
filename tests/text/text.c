/* text.c: what a text file may hold, and how it is cleaned. */
#include <fcntl.h>
#include <unistd.h>

#include "base/files/file.h"
#include "tests/helpers/test.h"
#include "text/text.h"

/* Fails unless the bytes are cleaned to `wanted`, or that is what is wrong with them: the beginning
 * of a message, from "a.txt:" on. */
static void assert_cleaned(const char *bytes, size_t size, TextForm form, const char *wanted)
{
    AUTOFREE char *copy =
        malloc(size ? size : 1); /* so that a sanitizer sees a read beyond its end */
    memcpy(copy, bytes, size);
    size_t clean_size;
    char *clean;
    AUTOFREE char *wrong = text_clean("a.txt", copy, size, form, &clean, &clean_size);
    if (wrong) {
        if (!*wanted || strncmp(wrong, wanted, strlen(wanted)) != 0 || strchr(wrong, '\n'))
            fail_msg("wanted %s, not %s", wanted, wrong);
        return;
    }
    assert_string_equal(clean, wanted);
    assert_int_equal(clean_size, strlen(wanted)); /* so that the 0 follows the last byte */
    free(clean);
}

static void assert_clean(const char *bytes, TextForm form, const char *wanted)
{
    assert_cleaned(bytes, strlen(bytes), form, wanted);
}

/* ---- UTF-8 ---- */

TEST(bytes_that_are_not_utf8_are_refused_with_their_place)
{
#define MARK "\xEF\xBB\xBF"
    static const char *const cases[][2] = {
        {"\x80", "1:1: byte 0x80"},     /* continues nothing */
        {"abc\xF1o", "1:4: byte 0xF1"}, /* Latin-1 */
        {"uno\ndos\xE9\ntres\n", "2:4: byte 0xE9"},
        {"uno\r\n\r\n\xFF", "3:1: byte 0xFF"},
        {"\xC3\xA1\xC3", "1:2: byte 0xC3"},        /* cut off by the end */
        {"\xC3\xA1\xE2\x82\nx", "1:2: byte 0xE2"}, /* cut off by a line end */
        {"\xF0\x8F\xBF\xBF", "1:1: byte 0xF0"},    /* overlong */
        {"\xED\xA0\x80", "1:1: byte 0xED"},        /* a surrogate */
        {MARK "a\xFF", "1:2: byte 0xFF"},          /* a byte order mark takes no column */
        {"\u00F1and\u00FA\xFF", "1:6: byte 0xFF"}, /* columns, not bytes */
        {"\U0001F600\xFF", "1:2: byte 0xFF"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTOFREE char *wanted = format_text(
            "a.txt:%s is not UTF-8; if the text is Latin-1, convert it: iconv -f LATIN1 -t UTF-8",
            cases[i][1]);
        assert_clean(cases[i][0], TEXT_COMPOSED, wanted);
    }
    assert_cleaned("a\0b", 3, TEXT_COMPOSED, "a.txt:1:2: byte 0x00");
    assert_cleaned("\u00E1\0b", 4, TEXT_COMPOSED, "a.txt:1:2: byte 0x00");
}

TEST(utf8_stays_as_it_is)
{
    /* The first and the last code points of each length, and those next to the surrogates. */
    static const char *const good[] = {"",
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
                                       "👍🏽\n"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_clean(good[i], TEXT_COMPOSED, good[i]);
}

TEST(byte_order_marks_and_line_ends)
{
    static const char *const cases[][2] = {
        {MARK "hola\n", "hola\n"},
        {MARK, ""},
        {MARK MARK, MARK}, /* only the first is one */
        {"a\n" MARK, "a\n" MARK},
        {"a\r\nb\r\n\r\nc", "a\nb\n\nc"},
        {"a\rb\nc\r", "a\rb\nc\r"}, /* by itself it ends no line, */
        {"a\rb\r\rc", "a\nb\n\nc"}, /* unless nothing else does */
        {"a\r\r\n", "a\r\n"},
        {"\r\n", "\n"},
        {"\xC3\xA9\r\n\xC3\xA9\r\n", "é\né\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_clean(cases[i][0], TEXT_COMPOSED, cases[i][1]);
}

/* ---- NFC and lower case ---- */

/* NFC sorts accents in the square of their number: 200,000 of them took a minute. */
TEST(letters_with_too_many_accents_are_refused)
{
    enum { MOST = 100 };
    char line[3 + 2 * (MOST + 1) + 1] = "b\nx"; /* x̂ has no single code point */
    for (int i = 0; i <= MOST; i++)
        memcpy(line + 3 + 2 * i, "\xCC\x82", 2);
    assert_clean(line, TEXT_COMPOSED, "a.txt:2:102: more than 100 accents");
    memcpy(line + 3 + MOST, "xx", 2); /* two letters share them */
    assert_clean(line, TEXT_COMPOSED, line);
}

TEST(letters_and_accents_are_composed)
{
    assert_clean("cafe\xCC\x81\n", TEXT_COMPOSED, "caf\xC3\xA9\n");
    assert_clean("e\xCC\x81\ne\xCC\x81", TEXT_COMPOSED,
                 "\xC3\xA9\n\xC3\xA9"); /* a line end does not prevent it */
    assert_clean("n\xCC\x83u\xCC\x88", TEXT_COMPOSED, "\xC3\xB1\xC3\xBC");
    assert_clean("e\n\xCC\x81", TEXT_COMPOSED, "e\n\xCC\x81"); /* not across lines */
    assert_clean("a\xCC\x87\xCC\xA3", TEXT_COMPOSED,
                 "\xE1\xBA\xA1\xCC\x87"); /* accents are sorted */
    assert_clean("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8", TEXT_COMPOSED, "\xEA\xB0\x81"); /* 각 */
    assert_clean("\xE2\x84\xAB", TEXT_COMPOSED, "\xC3\x85"); /* ångström's own sign */
    assert_clean("\xE0\xA5\x98", TEXT_COMPOSED, "\xE0\xA4\x95\xE0\xA4\xBC"); /* never composed */
    assert_clean("\xEF\xAC\x81 m\xC2\xB2", TEXT_COMPOSED, "\xEF\xAC\x81 m\xC2\xB2"); /* no NFKC */
}

TEST(lower_case)
{
    assert_clean("EL Perro 12!\n", TEXT_LOWER, "el perro 12!\n");
    assert_clean("EL Perro", TEXT_COMPOSED, "EL Perro");
    assert_clean("ÁÉÑ ÜÇ ÆØ", TEXT_LOWER, "áéñ üç æø");
    assert_clean("E\xCC\x81", TEXT_LOWER, "\xC3\xA9");
    assert_clean("Straße \xE1\xBA\x9E", TEXT_LOWER, "straße ß");
    assert_clean("İI", TEXT_LOWER, "i\xCC\x87i");       /* the one letter that becomes two */
    assert_clean("I\xCC\x87", TEXT_LOWER, "i\xCC\x87"); /* the same, composed first */
    assert_clean("ΟΔΟΣ", TEXT_LOWER, "οδοσ");           /* no final sigma */
    assert_clean("\xC7\x84\xC7\x85", TEXT_LOWER, "\xC7\x86\xC7\x86"); /* also a title case letter */
    assert_clean("\xE2\x84\xAA", TEXT_LOWER, "k");                    /* kelvin */
    assert_clean("\xF0\x90\x90\x80", TEXT_LOWER, "\xF0\x90\x90\xA8"); /* four bytes */
    assert_clean("\xE1\x8E\xA0", TEXT_LOWER, "\xEA\xAD\xB0");
    assert_clean("日本 👍", TEXT_LOWER, "日本 👍");
}

/* ---- Files ---- */

static void assert_refused(const void *bytes, size_t size, const char *part)
{
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "some.txt", bytes, size);
    ASSERT_DIES(text_read(path, TEXT_COMPOSED), path, part);
}

TEST(files_that_are_not_texts_are_refused)
{
    SCRATCH(folder);
    AUTOFREE char *absent = format_text("%s/absent.txt", folder);
    ASSERT_DIES(text_read(absent, TEXT_COMPOSED), "cannot open", absent, "No such file");
    ASSERT_DIES(text_read(folder, TEXT_COMPOSED), folder, "directory");
    ASSERT_DIES(text_read("/dev/zero", TEXT_COMPOSED), "/dev/zero", "byte 1 is 0");
    assert_refused("", 0, "is empty");
    assert_refused("uno\ndos\0tres", 12, "byte 8 is 0");
    assert_refused("uno\nma\361ana\n", 11, "some.txt:2:3: byte 0xF1");

    /* UTF-16, with a byte order mark and without, little and big end first. */
    assert_refused("\377\376e\0l\0", 6, "UTF-16; convert it: iconv -f UTF-16 -t UTF-8");
    assert_refused("\xFE\xFF\0e\0l", 6, "UTF-16");
    assert_refused("e\0l\0", 4, "UTF-16");
    assert_refused("\0e\0l", 4, "UTF-16");

    /* Beyond what one read takes. */
    const size_t size = 300000;
    AUTOFREE char *large = memset(malloc(size), 'a', size);
    large[size - 1] = 0;
    assert_refused(large, size, "byte 300000 is 0");
}

TEST(a_file_is_read_and_cleaned)
{
    static const char raw[] = MARK "E\u0301l\r\nPerro";
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "some.txt", raw, sizeof raw - 1);
    FREED_BY(text_free) Text text = text_read(path, TEXT_LOWER);
    assert_int_equal(text.raw.size, sizeof raw - 1);
    assert_memory_equal(text.raw.bytes, raw, sizeof raw);
    assert_int_equal(text.checksum, checksum_of(raw, sizeof raw - 1));
    assert_string_equal(text.clean, "\xC3\xA9l\nperro");
    assert_int_equal(text.size, strlen(text.clean));
}

/* Reads a file with these bytes as standard input; prints the clean text on standard error. */
static ChildEnd read_standard_input(const char *bytes)
{
    SCRATCH(folder);
    AUTOFREE char *path = scratch_write(folder, "some.txt", bytes, strlen(bytes));
    return APART(dup2(open(path, O_RDONLY), STDIN_FILENO);
                 fprintf(stderr, "read: %s", text_read("-", TEXT_COMPOSED).clean));
}

TEST(standard_input_is_read)
{
    assert_string_equal(read_standard_input("hola\n").said, "read: hola\n");
    assert_died(read_standard_input("a\n\xF1"),
                (const char *const[]){"standard input:2:1:", "0xF1", NULL});
    assert_died(read_standard_input(""), (const char *const[]){"standard input is empty", NULL});
}

/* Subwords give a text back byte for byte, but for the ends of its lines. */
TEST(a_text_may_stay_as_it_is)
{
    assert_clean("cafe\u0301 \u2126\r\nA", TEXT_AS_IS, "cafe\u0301 \u2126\nA");
    assert_clean("a\n\xFF", TEXT_AS_IS, "a.txt:2:1: byte 0xFF");
    assert_clean("cafe\u0301 \u2126", TEXT_COMPOSED, "caf\u00E9 \u03A9");
}

/* Which line is no pair, and why; NULL: all are pairs. */
static void assert_pairs(const char *bytes, const char *said)
{
    const Bytes copy = {strdup(bytes), strlen(bytes)};
    FREED_BY(text_free) Text text = text_from("a.tsv", copy, TEXT_COMPOSED);
    AUTOFREE char *wrong = text_check_pairs(&text);
    assert_int_equal(said != NULL, wrong != NULL);
    if (said)
        assert_true(strstr(wrong, said) && !strchr(wrong, '\n'));
}

static void assert_turns(const char *bytes, const char *said)
{
    const Bytes copy = {strdup(bytes), strlen(bytes)};
    FREED_BY(text_free) Text text = text_from("a.txt", copy, TEXT_COMPOSED);
    AUTOFREE char *wrong = text_check_turns(&text);
    assert_int_equal(said != NULL, wrong != NULL);
    if (said)
        assert_true(strstr(wrong, said) && !strchr(wrong, '\n'));
}

/* Each conversation may have speakers of its own. */
TEST(a_line_that_is_no_turn_is_named)
{
    assert_turns("A: a\nB: b\n", NULL);
    assert_turns("\n\nA: a\nB: b: c\n A : a\nB:b\n \t\n\nB: a\nC: b", NULL);
    assert_turns("A: a\nb\n",
                 "a.txt:2: the line has no NAME: before what is said; each line is a turn, NAME: "
                 "WORDS; two speak in turns, the second one is the model, and a blank line ends a "
                 "conversation");
    assert_turns("A: a\nB: b\nA:\n", "a.txt:3: the line has no NAME:");
    assert_turns(": a\nB: b\n", "a.txt:1: the line has no NAME:");
    assert_turns("A: a\nA: b\n", "a.txt:2: the same one speaks twice;");
    assert_turns("A: a\nB: b\nB: a\n", "a.txt:3: it is the turn of 'A';");
    assert_turns("A: a\nB: b\nA: a\nC: b\n", "a.txt:4: it is the turn of 'B';");
    assert_turns("A: a\nB: b\nA: a\n\nA: a\nB: b",
                 "a.txt:4: the conversation ends without an answer;");
    assert_turns("A: a\nB: b\nA: a\n", "a.txt:3: the conversation ends without an answer;");
    assert_turns("A: a\tb\nB: b\n", "a.txt:1: a turn has no tab;");
}

TEST(a_line_that_is_no_pair_is_named)
{
    assert_pairs("a\tb\n\n \t \nc d\te f", NULL);
    assert_pairs(MARK "a\tb\r\nc\td\r\n", NULL);
    assert_pairs("a\tb\rc\td\r", NULL);
    assert_pairs("a\tb\nc\nd\n", "a.tsv:2: the line has no tab; a line of pairs is a source, one "
                                 "tab and a target; a model of --objective next reads any text");
    assert_pairs("a\tb\r\n\r\nc\td\te\r\n", "a.tsv:3: the line has more than one tab;");
    assert_pairs("a\tb\rc\t", "a.tsv:2: one side of the tab is empty;");
    assert_pairs("\ta", "a.tsv:1: one side of the tab is empty;");
    assert_pairs("a\t\tb", "a.tsv:1: the line has more than one tab;");
}
