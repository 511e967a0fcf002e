/* quotes.c: the pieces of some tokens that a text has, as brute force finds them in its letters. */
#include <stb/stb_ds.h>

#include "base/numbers/random.h"
#include "base/utf8.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/test.h"
#include "text/corpus/quotes.h"
#include "text/encoder.h"

static void quotes_freed(Quote **quotes)
{
    quotes_free(*quotes);
}
#define QUOTES FREED_BY(quotes_freed) Quote *

static const char PERRO[] = "el perro come un hueso\n\nel gato duerme\nun perro\n";

TEST(the_longest_pieces_of_words_and_where_they_stand)
{
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_WORD, false, PERRO);
    FREED_BY(encoding_free) Encoding e = prompt_encode(&t, "", "el gato come un hueso un", 24);
    QUOTES quotes = quotes_of(&c, &t, e.ids + 1, e.count - 1); /* without [bos] */
    assert_int_equal(arrlen(quotes), 3);
    assert_string_equal(quotes[0].text, "el gato");
    assert_string_equal(quotes[1].text, "come un hueso");
    assert_int_equal(quotes[1].times, 1);
    assert_int_equal(quotes[1].line[0], 1);
    assert_int_equal(quotes[0].line[0], 2);
    assert_int_equal(quotes[2].times, 2);
    assert_int_equal(quotes[2].line[1], 3);
    AUTOFREE char *line = quote_line(&c, &t, quotes[0].place);
    assert_string_equal(line, "el gato duerme");
}

/* Marks of more than one byte end a word, as others do. */
TEST(a_dash_is_no_letter)
{
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_BPE, true, "dijo: —¡Hola! y se fue");
    FREED_BY(encoding_free) Encoding e = prompt_encode(&t, "", "dijo: —¡Adiós", 17);
    QUOTES quotes = quotes_of(&c, &t, e.ids, e.count);
    assert_string_equal(quotes[0].text, "dijo: —¡");
}

/* A token by itself has its name, and what the text lacks is there 0 times. */
TEST(special_tokens_and_what_the_text_lacks)
{
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_WORD, false, PERRO);
    CORPUS(other, s, OBJECTIVE_NEXT, TOKENIZER_WORD, false, "el perro come un hueso\nel gato");
    const int ids[] = {tokenizer_find(&t, "duerme"), t.eos, t.eos};
    QUOTES quotes = quotes_of(&c, &t, ids, 3);
    assert_int_equal(arrlen(quotes), 2);
    assert_string_equal(quotes[0].text, "duerme");
    assert_string_equal(quotes[1].text, "[eos]");
    QUOTES none = quotes_of(&other, &t, ids, 1);
    assert_int_equal(none[0].times, 0);
    assert_int_equal(arrlen(quotes_of(&c, &t, ids, 0)), 0);
}

/* How often a text has some letters. */
static size_t times_in(const char *text, const char *part, size_t size)
{
    size_t times = 0;
    for (; strlen(text) >= size; text++)
        times += !strncmp(text, part, size);
    return times;
}

/* Whether the text's next character, or the one before a place, is a letter. */
static bool letter_at(const char *at)
{
    return is_word_letter(utf8_next(&at, at + strlen(at)));
}

static bool letter_before(const char *at)
{
    do
        at--;
    while (((unsigned char)*at & 0xC0) == 0x80);
    return letter_at(at);
}

/* Where the next piece of what is written may end behind `size` bytes: after a word, or, if the
 * text has less than the word, after a letter. */
static size_t longer(const char *written, size_t size, bool whole)
{
    const char *at = written + size, *end = written + strlen(written);
    utf8_next(&at, end);
    while (whole && at < end && letter_before(at) && letter_at(at))
        utf8_next(&at, end);
    return (size_t)(at - written);
}

static char *random_text(uint32_t seed, int letters)
{
    static const char *const all[] = {"a", "b", " ", "ñ", "\n", ".", "—"};
    char *text = NULL;
    for (int i = 0; i < letters; i++)
        extend_text(&text, "%s",
                    all[random_bits(seed, RANDOM_SAMPLE, (Random4){{(uint32_t)i}}) % 7]);
    return text;
}

/* The pieces make up what is written; each is there as often as it says, and no longer one is. */
static void check(TokenizerKind kind, uint32_t seed)
{
    AUTOFREE char *text = random_text(seed, 300), *written = random_text(seed + 1000, 40),
                  *all = NULL;
    CORPUS(c, t, OBJECTIVE_NEXT, kind, true, text);
    FREED_BY(encoding_free) Encoding e = prompt_encode(&t, "", written, strlen(written));
    QUOTES quotes = quotes_of(&c, &t, e.ids, e.count);
    const char *rest = written;
    for (ptrdiff_t i = 0; i < arrlen(quotes); i++) {
        const size_t size = strlen(quotes[i].text);
        assert_int_equal(quotes[i].times, times_in(text, rest, size));
        size_t line = 1;
        for (const char *at = text; strncmp(at, rest, size); at++)
            line += *at == '\n';
        for (size_t k = 0; k + 1 < size; k++) /* that of its end */
            line += rest[k] == '\n';
        assert_int_equal(quotes[i].line[0], line);
        if (rest[size]) {
            const bool inside = letter_before(rest + size) && letter_at(rest + size);
            assert_int_equal(times_in(text, rest, longer(rest, size, !inside)), 0);
        }
        extend_text(&all, "%s", quotes[i].text);
        rest += size;
    }
    assert_string_equal(all, written);
}

TEST(pieces_of_letters_end_with_words)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        check(TOKENIZER_CHAR, seed);
        check(TOKENIZER_BPE, seed);
    }
}
