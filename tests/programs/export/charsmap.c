/* The table of replacements, walked as llama.cpp walks it, makes of a text what text/text.c and
 * text/words/split.c make of it. */
#include <stb/stb_ds.h>

#include "base/utf8.h"
#include "programs/export/tokens.h"
#include "tests/helpers/test.h"
#include "tests/helpers/literal.h"

static const char TEXT[] = "el perro come un hueso ñandú té ¿qué? ¡ay! «él» — … -\n";

/* A walk from the root: each byte leads to the unit at base ^ byte, if that unit has this byte.
 * Returns how many bytes the longest text that is replaced has, 0 if there is none; *to receives
 * what replaces it. Every step must stay within the array. */
static size_t longest(const char *map, const char *at, const char **to)
{
    uint32_t size, unit;
    memcpy(&size, map, sizeof size);
    const char *units = map + sizeof size, *texts = units + size;
    const size_t count = size / sizeof unit;
    size_t found = 0;
    memcpy(&unit, units, sizeof unit);
    uint32_t index = unit >> 10;
    for (size_t i = 0; at[i]; i++) {
        index ^= (unsigned char)at[i];
        assert_true(index < count);
        memcpy(&unit, units + index * sizeof unit, sizeof unit);
        if ((unit & 0x800000FF) != (unsigned char)at[i])
            break;
        assert_false(unit & 1 << 9); /* else the base would be meant 256 times as large */
        index ^= unit >> 10;
        assert_true(index < count);
        if (unit & 1 << 8) {
            memcpy(&unit, units + index * sizeof unit, sizeof unit);
            assert_true(unit >> 31);
            *to = texts + (unit & 0x7FFFFFFF);
            found = i + 1;
        }
    }
    return found;
}

/* The text with everything replaced; the caller frees it. */
static char *replaced(const char *map, const char *text)
{
    char *all = format_text("%s", ""), *longer;
    while (*text) {
        const char *to = text;
        size_t size = longest(map, text, &to);
        if (size) {
            longer = format_text("%s%s", all, to);
        } else {
            const char *after = text;
            utf8_next(&after, text + strlen(text));
            size = (size_t)(after - text);
            longer = format_text("%s%.*s", all, (int)size, text);
        }
        free(all);
        all = longer;
        text += size;
    }
    return all;
}

static void assert_replaced(const char *map, const char *text, const char *wanted)
{
    AUTOFREE char *got = replaced(map, text);
    assert_string_equal(got, wanted);
}

TEST(words_are_cut_at_punctuation_and_white_space)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer(TEXT, TOKENIZER_WORD, false);
    FREED_ARRAY char *map = charsmap_new(&t);
    assert_replaced(map, "el perro", "el perro");
    assert_replaced(map, "¿qué?", " ¿ qué ? ");
    assert_replaced(map, "«él…»", " « él …  » ");
    assert_replaced(map, "el\tperro\n\xC2\xA0té\xE2\x80\x89.", "el perro  té  . ");
    assert_replaced(map, "te\xCC\x81 n\xCC\x83", "té ñ");         /* taken apart: NFC */
    assert_replaced(map, "a\xCC\x81 Te\xCC\x81", "a\xCC\x81 Té"); /* no token has an á */
    assert_replaced(map, "\xCD\xBE", " ; "); /* the Greek question mark, in NFC */
    assert_replaced(map, "$+", " $  + ");
    assert_replaced(map, "\xF0\x9F\x90\xB6", "\xF0\x9F\x90\xB6"); /* a dog is no punctuation */
}

TEST(words_in_lower_case)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer(TEXT, TOKENIZER_WORD, false);
    t.form = TEXT_LOWER;
    FREED_ARRAY char *map = charsmap_new(&t);
    assert_replaced(map, "¿QUÉ Perro?", " ¿ qué perro ? ");
    assert_replaced(map, "TE\xCC\x81", "té");
    assert_replaced(map, "Ж", "Ж"); /* no token has it in lower case */
}

TEST(words_that_keep_their_punctuation)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer(TEXT, TOKENIZER_WORD, false);
    t.punctuation = PUNCTUATION_IN_WORDS;
    FREED_ARRAY char *map = charsmap_new(&t);
    assert_replaced(map, "¿qué?\nte\xCC\x81", "¿qué? té");
}

TEST(characters_stay_alone)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer(TEXT, TOKENIZER_CHAR, true);
    FREED_ARRAY char *map = charsmap_new(&t);
    assert_replaced(map, "¿qué?  el\r\nperro\n", "¿qué?  el\nperro\n");
    assert_replaced(map, "te\xCC\x81", "té");
}

TEST(plain_letters_need_no_table)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer("ab cd\n", TOKENIZER_CHAR, false);
    assert_null(charsmap_new(&t));
}

/* All that the table has is what becomes of one code point in the text: nothing else is changed. */
TEST(nothing_else_is_replaced)
{
    FREED_BY(tokenizer_free) Tokenizer t = literal_tokenizer(TEXT, TOKENIZER_WORD, false);
    FREED_ARRAY char *map = charsmap_new(&t);
    int changed = 0;
    for (int32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xD800 && c < 0xE000)
            continue;
        char bytes[5] = {0};
        const char *to = NULL;
        bytes[utf8_put(bytes, c)] = 0;
        const size_t size = longest(map, bytes, &to);
        changed += size > 0;
        if (c != ' ' && is_space(c))
            assert_string_equal(to, " ");
        else if (is_punctuation(c))
            assert_true(size == strlen(bytes) && to[0] == ' ' && to[strlen(to) - 1] == ' ');
        else if (size) /* NFC makes it punctuation */
            assert_true(to[0] == ' ' && to[strlen(to) - 1] == ' ');
    }
    assert_in_range(changed, 600, 1100);
}
