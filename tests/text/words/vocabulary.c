/* vocabulary.c: special words are found in a text, and an unknown word is reported with the known
 * words nearest to it. */
#include "base/base.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/tokenizer.h"
#include "text/words/vocabulary.h"

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
    for (size_t i = 0; i < COUNT_OF(special); i++)
        vocabulary_add(&v, special[i], strlen(special[i]), true);
    vocabulary_add(&v, "word", 4, false);
    assert_reserved(&v, "", NULL, 0);
    assert_reserved(&v, "a word [bos <s |pad|> [", NULL, 0);
    assert_reserved(&v, "a [eos]", "[eos]", 2);
    assert_reserved(&v, "a [bos] [eos]", "[bos]", 2);
    assert_reserved(&v, "<s>2", "<s>2", 0); /* the longer of two that begin alike */
    assert_reserved(&v, "<<<|pad|>", "<|pad|>", 2);
    assert_reserved(&v, "añ", "ñ", 1);
    assert_reserved(&v, "[eo", NULL, 0); /* the end of the text comes first */
}

/* One that texts may contain, one that is not used, and one of a single byte. */
TEST(some_special_words_are_allowed)
{
    FREED_BY(vocabulary_free) Vocabulary v = vocabulary_new();
    static const char *const special[] = {"<a>", "<a>!", "[pad]", "[bos]", "@"};
    const char text[] = "[pad] @ <a <a>! <a>?", *const end = text + strlen(text);
    int id = -1;
    for (int i = 0; i < 5; i++)
        vocabulary_add(&v, special[i], strlen(special[i]), true);
    assert_null(vocabulary_find_whole(&v, text, strlen(text), &id));
    vocabulary_allow(&v, 0, WORD_ADDED);
    vocabulary_allow(&v, 1, WORD_CONTROL);
    vocabulary_allow(&v, 2, WORD_UNUSED);
    assert_reserved(&v, text, "@", 6);
    vocabulary_allow(&v, 4, WORD_SPECIAL);
    assert_reserved(&v, text, NULL, 0);
    assert_reserved(&v, "<a>[bos]", "[bos]", 3);
    for (int i = 0; i < 5; i++)
        assert_int_equal(vocabulary_is_special(&v, i), i >= 2);
    static const struct {
        int from, place, id;
    } found[] = {{0, 6, 4}, {7, 11, 1}, {12, 16, 0}};
    for (int i = 0; i < 3; i++) {
        const char *at = text + found[i].from;
        assert_ptr_equal(vocabulary_find_whole(&v, at, (size_t)(end - at), &id),
                         text + found[i].place);
        assert_int_equal(id, found[i].id);
    }
    assert_null(vocabulary_find_whole(&v, text + 17, 3, &id));
}

TEST(the_nearest_words_are_named)
{
    static const char text[] = "gato gata pato niño nino ñandú perro a el ella";
    TOKENIZER t = literal_tokenizer(text, TOKENIZER_WORD, false);
    const Vocabulary *v = &t.vocabulary;
    static const struct {
        const char *word, *said;
    } cases[] = {
        {"gatos", "'gatos'; its nearest: gato, gata, pato"},
        {"rato", "'rato'; its nearest: gato, pato, gata"}, /* 1, 1, 2 */
        {"niñ", "'niñ'; its nearest: niño, nino, ñandú"},  /* code points, not bytes */
        {"b", "'b'"},                                      /* nothing in common with any */
        {"eos", "'eos'; its nearest: el, ella, perro"},    /* never our own tokens */
        {"xxxxxxxxxxxx", "'xxxxxxxxxxxx'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTOFREE char *line = unknown_word(v, "x", cases[i].word, strlen(cases[i].word));
        AUTOFREE char *wanted = format_text("x: the model does not know %s", cases[i].said);
        assert_string_equal(line, wanted);
    }
    AUTOFREE char *longest = memset(calloc(300001, 1), 'a', 300000);
    AUTOFREE char *line = unknown_word(v, "x", longest, 300000);
    assert_in_range(strlen(line), 100, 200); /* cut, and not compared with all */
}
