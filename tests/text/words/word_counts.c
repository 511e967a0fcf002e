/* word_counts.c: each word is counted, short or long, and keeps its place. */
#include <string.h>

#include "tests/helpers/test.h"
#include "text/words/vocabulary.h"

TEST(words_are_counted)
{
    FREED_BY(word_counts_free) WordCounts counts = word_counts_new();
    assert_int_equal(word_counts_of(&counts, "el"), 0);
    assert_int_equal(word_counts_add(&counts, "el", 2, 1), 0);
    assert_int_equal(word_counts_add(&counts, "perro", 5, 2), 1);
    assert_int_equal(word_counts_add(&counts, "elefante", 2, 3), 0);
    assert_int_equal(counts.words.count, 2);
    assert_int_equal(word_counts_of(&counts, "el"), 4);
    assert_int_equal(word_counts_of(&counts, "perro"), 2);
    assert_int_equal(word_counts_of(&counts, "elefante"), 0);
}

/* Words of 1 to 60 letters, of which each occurs as often as it is long. */
TEST(words_of_all_sizes)
{
    enum { LONGEST = 60 };
    FREED_BY(word_counts_free) WordCounts counts = word_counts_new();
    char text[LONGEST + 1];
    memset(text, 'a', LONGEST);
    for (size_t size = 1; size <= LONGEST; size++)
        for (size_t i = 0; i < size; i++)
            assert_int_equal(word_counts_add(&counts, text, size, 1), size - 1);
    assert_int_equal(counts.words.count, LONGEST);
    for (size_t size = 1; size <= LONGEST; size++) {
        assert_int_equal(counts.counts[size - 1], size);
        assert_int_equal(vocabulary_word_size(&counts.words, (int)size - 1), size);
    }
}
