/* bpe.c: words are merged by rank and then from the left; any bytes come back; a stream of tokens
 * shows whole characters. A text is cut into the words of GPT-2's pattern. */
#include <stb/stb_ds.h>

#include "base/utf8.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/encoder.h"
#include "text/subwords/bpe.h"

/* A tokenizer of merges that are given as "left right|left right|". */
static Bpe bpe_of(Vocabulary *v, const char *merges, BpeMerge **list)
{
    int ids[256];
    *v = vocabulary_new();
    bpe_add_bytes(v, ids);
    for (char left[32], right[32], both[64]; *merges; merges = strchr(merges, '|') + 1) {
        assert_int_equal(sscanf(merges, "%31s %31[^|]", left, right), 2);
        snprintf(both, sizeof both, "%s%s", left, right);
        const int known = vocabulary_find(v, both, strlen(both));
        const int id = known >= 0 ? known : vocabulary_add(v, both, strlen(both), false);
        arrput(*list, ((BpeMerge){vocabulary_find(v, left, strlen(left)),
                                  vocabulary_find(v, right, strlen(right)), id}));
        assert_true(arrlast(*list).left >= 0 && arrlast(*list).right >= 0);
    }
    return bpe_new(v, *list, (int)arrlen(*list));
}

/* Appends the ids of a text. */
static void encode(const Bpe *bpe, Span text, int **ids)
{
    const Tokenizer t = {.kind = TOKENIZER_BPE, .bpe = *bpe};
    Encoder *encoder = encoder_new(&t, (size_t)(text.end - text.begin), -1);
    Span unknown;
    assert_true(encoder_add(encoder, text, ids, &unknown));
    encoder_free(encoder);
}

/* The bytes of some tokens, one after another. */
static char *decode(const Bpe *bpe, const int *ids, size_t *size)
{
    char *text;
    FILE *out = memory_stream(&text, size);
    for (ptrdiff_t i = 0; i < arrlen(ids); i++) {
        const Span bytes = bpe_bytes(bpe, ids[i]);
        fwrite(bytes.begin, 1, (size_t)(bytes.end - bytes.begin), out);
    }
    fclose(out);
    return text;
}

/* The tokens of a text, each followed by a bar. */
static void assert_tokens(const char *merges, const char *text, const char *wanted)
{
    FREED_BY(vocabulary_free) Vocabulary v;
    FREED_ARRAY BpeMerge *list = NULL;
    FREED_BY(bpe_free) Bpe bpe = bpe_of(&v, merges, &list);
    FREED_ARRAY int *ids = NULL;
    encode(&bpe, (Span){text, text + strlen(text)}, &ids);
    char got[1024], *put = got;
    for (ptrdiff_t i = 0; i < arrlen(ids); i++)
        put += sprintf(put, "%s|", vocabulary_word(&v, ids[i]));
    *put = 0;
    assert_string_equal(got, wanted);
    size_t size;
    AUTOFREE char *back = decode(&bpe, ids, &size);
    assert_string_equal(back, text);
    assert_int_equal(size, strlen(text));
}

TEST(merges_by_rank_then_from_the_left)
{
    assert_tokens("", "", "");
    assert_tokens("", "ab ñ", "a|b|Ġ|Ã|±|");
    assert_tokens("u g|u n|h ug|", "hugs bun", "hug|s|Ġ|b|un|");
    /* Which comes first in the list decides, not which comes first in the word. */
    assert_tokens("a b|b c|", "abc", "ab|c|");
    assert_tokens("b c|a b|", "abc", "a|bc|");
    assert_tokens("b c|a bc|a b|ab c|", "abc abd", "abc|Ġ|ab|d|");
    assert_tokens("a a|", "aaaaa", "aa|aa|a|");
    assert_tokens("a a|aa aa|", "aaaaaaa", "aaaa|aa|a|");
    assert_tokens("a a|aa a|", "aaaa aaa", "aa|aa|Ġ|aaa|");
    /* Nothing is merged across words. */
    assert_tokens("o Ġ|Ġ w|Ġw o|", "o wo  w", "o|Ġwo|Ġ|Ġw|");
    assert_tokens("a b|", "abababababababababababababab aba",
                  "ab|ab|ab|ab|ab|ab|ab|ab|ab|ab|ab|ab|ab|ab|Ġ|ab|a|");
}

/* The definition: look for the first of the best pairs in the whole word, again and again. */
static void encode_plainly(const Bpe *bpe, Span word, int **ids)
{
    const size_t before = arrlenu(*ids);
    for (const char *at = word.begin; at < word.end; at++)
        arrput(*ids, bpe->byte_ids[(unsigned char)*at]);
    for (;;) {
        int64_t best = INT64_MAX;
        size_t place = 0;
        for (size_t i = before; i + 1 < arrlenu(*ids); i++) {
            const int64_t rank = pair_table_get(&bpe->ranks, (*ids)[i], (*ids)[i + 1]);
            if (rank && rank < best) {
                best = rank;
                place = i;
            }
        }
        if (best == INT64_MAX)
            return;
        (*ids)[place] = bpe->merged[best - 1];
        arrdel(*ids, place + 1);
    }
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 16;
}

/* Words of few letters and of all sizes. */
static char *random_text(size_t size)
{
    char *text = malloc(size);
    uint32_t random = 5;
    for (size_t i = 0; i < size; i++)
        text[i] = next_random(&random) % (i >> 10 & 63 ? 6 : 300)
                      ? "aabcde"[next_random(&random) % 6]
                      : ' ';
    return text;
}

TEST(same_as_the_definition)
{
    enum { SIZE = 2500000 };
    AUTOFREE char *text = random_text(SIZE);
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    WordCounts counts = literal_words((Span){text, text + SIZE}, false);
    FREED_ARRAY BpeMerge *merges = bpe_train(&v, &counts, 1000, 0);
    FREED_BY(bpe_free) Bpe bpe = bpe_new(&v, merges, (int)arrlen(merges));
    FREED_ARRAY int *wanted = NULL, *ids = NULL;
    Span word;
    for (const char *at = text; byte_level_word(&at, text + SIZE, &word);)
        encode_plainly(&bpe, word, &wanted);
    arrput(ids, -1); /* what is there stays */
    encode(&bpe, (Span){text, text + SIZE}, &ids);
    assert_int_equal(arrlen(ids), arrlen(wanted) + 1);
    assert_memory_equal(ids + 1, wanted, arrlenu(wanted) * sizeof *wanted);
}

/* In the square of its length, such a word would take minutes. */
TEST(long_words_are_quick)
{
    enum { SIZE = 200000 };
    AUTOFREE char *text = memset(malloc(SIZE), 'a', SIZE);
    FREED_BY(vocabulary_free) Vocabulary v;
    FREED_ARRAY BpeMerge *merges = NULL;
    FREED_BY(bpe_free) Bpe bpe = bpe_of(&v, "a a|aa aa|aaaa aaaa|", &merges);
    FREED_ARRAY int *ids = NULL;
    const double begun = processor_seconds();
    encode(&bpe, (Span){text, text + SIZE}, &ids);
    assert_true(processor_seconds() - begun < 5);
    assert_int_equal(arrlen(ids), SIZE / 8);
}

/* Special tokens, and those of other programs that are not made of bytes, stand for themselves. */
TEST(any_bytes_come_back)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    int ids[256];
    vocabulary_add(&v, "[bos]", 5, true);
    assert_int_equal(bpe_byte_id(&v, 'a'), -1);
    bpe_add_bytes(&v, ids);
    assert_true(bpe_byte_id(&v, 0) >= 0 && bpe_byte_id(&v, 'a') >= 0);
    const int special = vocabulary_add(&v, "Ġ", 2, true),
              foreign = vocabulary_add(&v, "日 a", 5, false);
    assert_int_equal(special, -1); /* it is a byte already */
    FREED_BY(bpe_free) Bpe bpe = bpe_new(&v, NULL, 0);
    const Span bos = bpe_bytes(&bpe, 0), word = bpe_bytes(&bpe, foreign);
    assert_memory_equal(bos.begin, "[bos]", 5);
    assert_int_equal(bos.end - bos.begin, 5);
    assert_memory_equal(word.begin, "日 a", 5);
    assert_int_equal(word.end - word.begin, 5);
    char all[512];
    for (int i = 0; i < 512; i++)
        all[i] = (char)(i < 256 ? i : i * 7);
    FREED_ARRAY int *encoded = NULL;
    size_t size;
    encode(&bpe, (Span){all, all + sizeof all}, &encoded);
    AUTOFREE char *back = decode(&bpe, encoded, &size);
    assert_int_equal(size, sizeof all);
    assert_memory_equal(back, all, sizeof all);
}

/* What a stream writes after each of these parts. */
static void assert_stream(const char *const *parts, const char *const *wanted)
{
    BpeStream stream = {.count = 0};
    for (; *parts; parts++, wanted++) {
        AUTOFREE char *text;
        size_t size;
        FILE *out = memory_stream(&text, &size);
        bpe_stream_put(&stream, (Span){*parts, *parts + strlen(*parts)}, out);
        if (!parts[1])
            bpe_stream_end(&stream, out);
        fclose(out);
        assert_string_equal(text, *wanted);
    }
}
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(a_stream_writes_whole_characters)
{
    assert_stream(PARTS("a", "\xC3", "\xB1", "o"), PARTS("a", "", "ñ", "o"));
    assert_stream(PARTS("\xF0", "\x9F", "\x90", "\x95!"), PARTS("", "", "", "🐕!"));
    assert_stream(PARTS("\xE6\x97\xA5\xE6", "\x9C\xAC"), PARTS("日", "本"));
    /* What cannot be completed is written as it is: nothing is lost. */
    assert_stream(PARTS("\xC3", "a"), PARTS("", "\303a"));
    assert_stream(PARTS("\xE2\x82", "\xC3", "\xB1"), PARTS("", "\xE2\x82", "ñ"));
    assert_stream(PARTS("\xE0", "\x9F"), PARTS("", "\xE0\x9F")); /* overlong */
    assert_stream(PARTS("\xED", "\xA0"), PARTS("", "\xED\xA0")); /* a surrogate */
    assert_stream(PARTS("\xF4", "\x90"), PARTS("", "\xF4\x90")); /* beyond U+10FFFF */
    assert_stream(PARTS("\xF4\x8F", "\x90", "a"), PARTS("", "", "\364\217\220a"));
    assert_stream(PARTS("\xF5", "\x80"), PARTS("\xF5", "\x80"));
    assert_stream(PARTS("a\xE6\x97"), PARTS("a\xE6\x97"));
}

/* ---- Words ---- */

/* The words of a text, each followed by a bar. */
static void assert_words(const char *text, const char *wanted)
{
    char got[1024], *put = got;
    const size_t size = strlen(text);
    AUTOFREE char *copy = without_end(text);
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

/* A part of a text ends where it is cut, whatever follows. */
TEST(a_word_ends_with_its_part)
{
    const char *text = "el gato", *at = text;
    Span word;
    assert_true(byte_level_word(&at, text + 3, &word));
    assert_true(byte_level_word(&at, text + 3, &word));
    assert_ptr_equal(word.end, text + 3);
    assert_false(byte_level_word(&at, text + 3, &word));
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
    for (size_t i = 0; i < COUNT_OF(known); i++)
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

/* The words of a text, with a bar after each. */
static void assert_cut(WordPattern pattern, const char *text, const char *wanted)
{
    char got[256], *put = got;
    Span word;
    for (const char *at = text, *end = text + strlen(text); pattern_word(&at, end, pattern, &word);)
        put += sprintf(put, "%.*s|", (int)(word.end - word.begin), word.begin);
    *put = 0;
    assert_string_equal(got, wanted);
}

/* Each text as GPT-2 cuts it, then with each digit alone, then as Qwen does it and as Llama does
 * it, if that is another way. */
TEST(later_patterns_cut_in_other_ways)
{
    static const struct {
        const char *text, *words[4];
    } cases[] = {
        {"It'S  1984 o'clock!\n\n",
         {"It|'|S| | 1984| o|'|clock|!|\n\n|", "It|'|S|  |1|9|8|4| o|'|clock|!|\n\n|",
          "It|'S| | |1|9|8|4| o|'clock|!\n\n|", "It|'S| | |198|4| o|'clock|!\n\n|"}},
        {"don't WE'LL he'Re 'ſ'ſt",
         {"don|'t| WE|'|LL| he|'|Re| '|ſ|'|ſt|", NULL, "don|'t| WE|'LL| he|'Re| '|ſ|'ſ|t|"}},
        {"(a)\t\tb \u00a0c\u3000日",
         {"(|a|)|\t|\t|b| |\u00a0|c|\u3000|日|", NULL, "(a|)|\t|\tb| |\u00a0c|\u3000日|"}},
        {"a \n  b\n \n  !\r\n?\r",
         {"a| \n | b|\n \n | !|\r|\n|?|\r|", NULL, "a| \n| | b|\n \n| | !\r\n|?\r|"}},
        {"1234567 ½²Ⅷ٣x 5  6 \n7",
         {"1234567| ½²Ⅷ٣|x| 5| | 6| |\n|7|", "1|2|3|4|5|6|7| |½|²|Ⅷ|٣|x| |5|  |6| \n|7|",
          "1|2|3|4|5|6|7| |½|²|Ⅷ|٣|x| |5| | |6| \n|7|", "123|456|7| |½²Ⅷ|٣|x| |5| | |6| \n|7|"}},
        {"e\u0301a ...\n...x  ",
         {"e|\u0301|a| ...|\n|...|x|  |", NULL, "e|\u0301a| ...\n|...|x|  |"}},
        {"'' '\n'", {"''| '|\n|'|", NULL, "''| '\n|'|"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *words = cases[i].words[0];
        for (WordPattern pattern = PATTERN_GPT2; pattern <= PATTERN_LLAMA; pattern++) {
            words = cases[i].words[pattern] ? cases[i].words[pattern] : words;
            assert_cut(pattern, cases[i].text, words);
        }
    }
}
