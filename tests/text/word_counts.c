/* word_counts.c: each word of a text is counted, short or long, by lines or not, on any number of
 * threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "tests/helpers/close.h"
#include "text/subwords/byte_level.h"
#include "text/subwords/word_counts.h"

static int64_t count_of(const CountedWord *words, size_t count, const char *word, size_t size)
{
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (words[i].size == size && !memcmp(words[i].bytes, word, size)) {
            assert_int_equal(found, 0); /* no word is there twice */
            found = words[i].count;
        }
    return found;
}

static Span span(const char *text)
{
    return (Span){text, text + strlen(text)};
}

/* Counts some texts together, and compares with all the words that they have. */
static void assert_counts(const char *const *texts, bool by_lines, const char *const *wanted,
                          const int *wanted_counts)
{
    WordCounts counts = word_counts_new();
    for (; *texts; texts++)
        word_counts_add(&counts, (Span[]){span(*texts)}, 1, by_lines ? CUT_LINES : CUT_NOWHERE);
    CountedWord *words;
    const size_t count = word_counts_list(&counts, &words);
    size_t i = 0;
    for (; wanted[i]; i++)
        assert_int_equal(count_of(words, count, wanted[i], strlen(wanted[i])), wanted_counts[i]);
    assert_int_equal(count, i);
    free(words);
    word_counts_free(&counts);
}

static void test_words_are_counted(void **state)
{
    (void)state;
    assert_counts((const char *const[]){NULL}, false, (const char *const[]){NULL}, NULL);
    assert_counts((const char *const[]){"el perro y el gato\n\nel", "", " perro", NULL}, false,
                  (const char *const[]){"el", " perro", " y", " el", " gato", "\n", NULL},
                  (const int[]){2, 2, 1, 1, 1, 2});
    assert_counts((const char *const[]){"el perro \nel gato\n\n  \n", NULL}, true,
                  (const char *const[]){"el", " perro", " ", " gato", NULL},
                  (const int[]){2, 1, 1, 1});
}

/* Words of 1 to 60 letters, of which each occurs as often as it is long. */
static void test_words_of_all_sizes(void **state)
{
    (void)state;
    enum { LONGEST = 60 };
    WordCounts counts = word_counts_new();
    char text[LONGEST + 2];
    for (int size = 1; size <= LONGEST; size++)
        for (int i = 0; i < size; i++) {
            memset(text, 'a', (size_t)size);
            word_counts_add(&counts, (Span[]){{text, text + size}}, 1, CUT_NOWHERE);
        }
    CountedWord *words;
    const size_t count = word_counts_list(&counts, &words);
    assert_int_equal(count, LONGEST);
    memset(text, 'a', LONGEST);
    for (size_t size = 1; size <= LONGEST; size++)
        assert_int_equal(count_of(words, count, text, size), size);
    free(words);
    word_counts_free(&counts);
}

/* A text of several pieces: as many words as the numbers that were written. */
static void test_pieces_cut_no_word(void **state)
{
    (void)state;
    enum { NUMBERS = 200000 };
    static char text[NUMBERS * 16];
    size_t size = 0, different[2] = {0};
    for (int i = 0; i < NUMBERS; i++)
        size += (size_t)sprintf(text + size, "%s%d", i ? (i % 7 ? " word " : " word\n") : "",
                                i * 7919 % 100000);
    for (int threads = 1; threads <= 3; threads++) {
        thread_set_limit(threads);
        for (int by_lines = 0; by_lines < 2; by_lines++) {
            WordCounts counts = word_counts_new();
            word_counts_add(&counts, (Span[]){{text, text + size}}, 1,
                            by_lines ? CUT_LINES : CUT_NOWHERE);
            CountedWord *words;
            const size_t count = word_counts_list(&counts, &words);
            int64_t numbers = 0, others = 0;
            for (size_t i = 0; i < count; i++) {
                const char last = words[i].bytes[words[i].size - 1];
                *(last >= '0' && last <= '9' ? &numbers : &others) += words[i].count;
            }
            assert_int_equal(numbers, NUMBERS);
            assert_int_equal(count_of(words, count, " word", 5), NUMBERS - 1);
            assert_int_equal(others - (NUMBERS - 1), by_lines ? 0 : (NUMBERS - 1) / 7);
            if (threads == 1)
                different[by_lines] = count;
            assert_int_equal(count, different[by_lines]);
            free(words);
            word_counts_free(&counts);
        }
    }
}

static void test_pieces_are_the_text(void **state)
{
    (void)state;
    enum { SIZE = 5000000 };
    char *text = malloc(SIZE);
    memset(text, 'a', SIZE);
    for (int by_lines = 0; by_lines < 2; by_lines++) {
        const char *at = text;
        Span piece;
        assert_true(byte_level_piece(&at, text + SIZE, by_lines, &piece)); /* one long word */
        assert_ptr_equal(piece.end, text + SIZE);
        assert_false(byte_level_piece(&at, text + SIZE, by_lines, &piece));
    }
    for (int i = 0; i < SIZE; i += 1000)
        text[i] = i % 3 ? ' ' : '\n';
    for (int by_lines = 0; by_lines < 2; by_lines++) {
        const char *at = text, *before = text;
        Span piece;
        int count = 0;
        for (; byte_level_piece(&at, text + SIZE, by_lines, &piece); before = at, count++) {
            assert_ptr_equal(piece.begin, before);
            assert_true(piece.end == text + SIZE || piece.end[-by_lines] == '\n' || !by_lines);
        }
        assert_ptr_equal(before, text + SIZE);
        assert_int_equal(count, 5);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_counted),
        cmocka_unit_test(test_words_of_all_sizes),
        cmocka_unit_test(test_pieces_cut_no_word),
        cmocka_unit_test(test_pieces_are_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
