/* vocabulary.c: words get the ids 0, 1, 2, ... and are found again by them, and special words are
 * found in a text. */
#include <string.h>

#include "base/base.h"
#include "tests/helpers/test.h"
#include "text/words/vocabulary.h"

static int add(Vocabulary *v, const char *word, bool special)
{
    return vocabulary_add(v, word, strlen(word), special);
}

TEST(words_get_ids_and_are_found_again)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    assert_int_equal(vocabulary_find(&v, "a", 1), -1);
    assert_int_equal(add(&v, "[bos]", true), 0);
    assert_int_equal(add(&v, "cab", false), 1);
    assert_int_equal(add(&v, "", false), 2);
    assert_int_equal(vocabulary_add(&v, "cab", 1, false), 3); /* only so many bytes */
    assert_int_equal(add(&v, "cab", true), -1);
    assert_int_equal(v.count, 4);
    assert_int_equal(vocabulary_find(&v, "cab", 3), 1);
    assert_int_equal(vocabulary_find(&v, "cab", 1), 3);
    assert_int_equal(vocabulary_find(&v, "cab", 2), -1);
    assert_int_equal(vocabulary_find(&v, "", 0), 2);
    assert_int_equal(vocabulary_find(&v, "C", 1), -1);
    assert_string_equal(vocabulary_word(&v, 3), "c");
    assert_true(vocabulary_is_special(&v, 0));
    assert_false(vocabulary_is_special(&v, 1));
}

static void assert_reserved(const Vocabulary *v, const char *text, const char *word, int place)
{
    int id = -1;
    const char *found = vocabulary_find_reserved(v, text, strlen(text), &id);
    if (!word) {
        assert_null(found);
        return;
    }
    assert_ptr_equal(found, text + place);
    assert_string_equal(vocabulary_word(v, id), word);
}

TEST(special_words_are_found_in_a_text)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    static const char *const special[] = {"[eos]", "<s>", "", "[bos]", "<|pad|>", "<s>2", "ñ"};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        add(&v, special[i], true);
    add(&v, "word", false);
    assert_reserved(&v, "", NULL, 0);
    assert_reserved(&v, "a word [bos <s |pad|> [", NULL, 0);
    assert_reserved(&v, "a [eos]", "[eos]", 2);
    assert_reserved(&v, "a [bos] [eos]", "[bos]", 2);
    assert_reserved(&v, "<s>2", "<s>", 0); /* the shorter of two that begin alike */
    assert_reserved(&v, "<<<|pad|>", "<|pad|>", 2);
    assert_reserved(&v, "añ", "ñ", 1);
    assert_reserved(&v, "[eo", NULL, 0); /* the end of the text comes first */
}
