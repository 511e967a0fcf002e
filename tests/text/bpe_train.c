/* bpe_train.c: merges as they are published or follow from the rules, and the same as those of a
 * plain trainer, which counts everything again for each merge. */
#include <stb/stb_ds.h>

#include "base/parallel/threads.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/subwords/bpe.h"
#include "text/tokenizer.h"

static BpeMerge *train(Vocabulary *v, const char *text, bool by_lines, int size, int64_t min_count)
{
    WordCounts counts = literal_words((Span){text, text + strlen(text)}, by_lines);
    return bpe_train(v, &counts, size, min_count);
}

/* The merges of a text, each as "left right|". */
static void assert_merges(const char *text, bool by_lines, int size, int64_t min_count,
                          const char *wanted)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    FREED_ARRAY BpeMerge *merges = train(&v, text, by_lines, size, min_count);
    char got[1024], *put = got;
    for (ptrdiff_t i = 0; i < arrlen(merges); i++) {
        put += sprintf(put, "%s %s|", vocabulary_word(&v, merges[i].left),
                       vocabulary_word(&v, merges[i].right));
        assert_int_equal(merges[i].id, 256 + i);
    }
    *put = 0;
    assert_string_equal(got, wanted);
}

/* Ids are those of GPT-2's vocabulary: encoder.json. */
TEST(bytes_come_first)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    int ids[256];
    vocabulary_add(&v, "[bos]", 5, true);
    bpe_add_bytes(&v, ids);
    assert_int_equal(v.count, 257);
    static const int known[][2] = {{'!', 0}, {'A', 32},   {0xA1, 94}, {0xFF, 187},
                                   {0, 188}, {'\n', 198}, {' ', 220}, {0xAD, 255}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        assert_int_equal(ids[known[i][0]], 1 + known[i][1]);
    assert_string_equal(vocabulary_word(&v, ids[' ']), "Ġ");
}

/* Special tokens come first and count in the size. A token of the same name is that token. */
TEST(special_tokens)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    vocabulary_add(&v, "[bos]", 5, true);
    vocabulary_add(&v, "ab", 2, true);
    FREED_ARRAY BpeMerge *merges = train(&v, "abc abc abc abd", false, 2 + 256 + 2, 0);
    assert_int_equal(v.count, 2 + 256 + 2);
    assert_int_equal(arrlen(merges), 3); /* ab, abc, and the space with it */
    assert_int_equal(merges[0].id, 1);
    assert_int_equal(merges[1].id, 2 + 256);
    assert_int_equal(merges[1].left, 1);
    assert_string_equal(vocabulary_word(&v, merges[2].id), "Ġabc");
}

/* The example of Hugging Face's course: hug 10, pug 5, pun 12, bun 4, hugs 5 times. */
TEST(published_merges)
{
    static const char *const words[] = {"hug\n", "pug\n", "pun\n", "bun\n", "hugs\n"};
    static const int times[] = {10, 5, 12, 4, 5};
    char text[1024] = "";
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < times[i]; k++)
            strcat(text, words[i]);
    assert_merges(text, true, 259, 0, "u g|u n|h ug|");
    assert_merges(text, true, 260, 0, "u g|u n|h ug|p un|");
    /* The rest; equals go by their ids: b un 4, hug s 5, p ug 5 times. */
    assert_merges(text, true, 1000, 0, "u g|u n|h ug|p un|p ug|hug s|b un|");
    assert_merges(text, true, 1000, 5, "u g|u n|h ug|p un|p ug|hug s|");
    assert_merges(text, true, 256, 0, "");
    assert_merges(text, true, 0, 0, "");
}

/* Wikipedia's example. Of aa + a and a + b, which occur twice, a + b has the smaller left id. */
TEST(runs_of_one_letter)
{
    assert_merges("aaabdaaabac", false, 259, 0, "a a|a b|aa ab|");
    /* Pairs that overlap also count: a a is in aaa twice; in the pairs that are left, once. */
    assert_merges("aaa bcbc", false, 257, 0, "a a|");
    assert_merges("", false, 1000, 0, "");
    assert_merges("a b c", false, 1000, 0, "Ġ b|Ġ c|");
}

/* ---- A plain trainer ---- */

enum { MOST_WORDS = 4096, LONGEST = 128 };
typedef struct {
    int tokens[LONGEST], length;
} PlainWord;

static void merge_plainly(PlainWord *word, BpeMerge merge)
{
    int length = 0;
    for (int i = 0; i < word->length; i++) {
        const bool here = i + 1 < word->length && word->tokens[i] == merge.left &&
                          word->tokens[i + 1] == merge.right;
        word->tokens[length++] = here ? merge.id : word->tokens[i];
        i += here;
    }
    word->length = length;
}

/* The most frequent pair; its count. */
static int64_t best_pair(const PlainWord *words, int count, int size, BpeMerge *best)
{
    AUTOFREE int64_t *counts = calloc((size_t)size * (size_t)size, sizeof *counts);
    int64_t most = 0;
    for (int w = 0; w < count; w++)
        for (int i = 0; i + 1 < words[w].length; i++)
            counts[words[w].tokens[i] * size + words[w].tokens[i + 1]]++;
    for (int i = 0; i < size * size; i++)
        if (counts[i] > most) {
            most = counts[i];
            *best = (BpeMerge){i / size, i % size, -1};
        }
    return most;
}

static int read_plainly(PlainWord *words, const char *text, size_t size, const int ids[256])
{
    int count = 0;
    Span word;
    for (const char *at = text; byte_level_word(&at, text + size, &word);) {
        PlainWord *plain = &words[count++];
        assert_true(count < MOST_WORDS && word.end - word.begin <= LONGEST);
        plain->length = 0;
        for (const char *byte = word.begin; byte < word.end; byte++)
            plain->tokens[plain->length++] = ids[(unsigned char)*byte];
    }
    return count;
}

/* Texts of few letters, in which many pairs occur equally often. */
TEST(same_as_a_plain_trainer)
{
    enum { SIZE = 330 };
    static PlainWord words[MOST_WORDS];
    int compared = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        char text[2001];
        uint32_t random = seed;
        for (int i = 0; i < 2000; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = "ab cd efgh ijkl"[(random >> 16) % (4 + seed)];
        }
        text[2000] = 0;
        FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new(), plain = vocabulary_new();
        int ids[256];
        bpe_add_bytes(&plain, ids);
        const int count = read_plainly(words, text, 2000, ids);
        FREED_ARRAY BpeMerge *merges = train(&v, text, false, SIZE, 2);
        for (ptrdiff_t i = 0; i < arrlen(merges); i++, compared++) {
            BpeMerge best;
            assert_true(best_pair(words, count, SIZE, &best) >= 2);
            assert_int_equal(merges[i].left, best.left);
            assert_int_equal(merges[i].right, best.right);
            assert_int_equal(merges[i].id, 256 + i);
            for (int w = 0; w < count; w++)
                merge_plainly(&words[w], merges[i]);
        }
    }
    assert_true(compared > 500);
}
