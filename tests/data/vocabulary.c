/* test_vocabulary.c: which tokens get an id, and which id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/text.h"
#include "data/vocabulary.h"
#include "tests/helpers/close.h"
#include "tests/helpers/scratch.h"

static Vocabulary vocabulary(const char *text, VocabularyRules rules)
{
    return vocabulary_of("a.txt", text, strlen(text), rules);
}

/* All tokens in the order of their ids, with a bar behind each and, with `counts`, how often. */
static void assert_tokens(const Vocabulary *v, bool counts, const char *wanted)
{
    char got[1024], *put = got;
    for (int id = 0; id < v->count; id++) {
        put += sprintf(put, "%s", v->words[id].key);
        if (counts)
            put += sprintf(put, " %d", v->words[id].value);
        put += sprintf(put, "|");
        assert_int_equal(vocabulary_id(v, v->words[id].key, strlen(v->words[id].key)), id);
    }
    *put = 0;
    assert_int_equal(shlen(v->words), v->count);
    assert_string_equal(got, wanted);
}

static void assert_words(const char *text, VocabularyRules rules, const char *wanted)
{
    Vocabulary v = vocabulary(text, rules);
    assert_tokens(&v, false, wanted);
    assert_int_equal(v.bos, rules.stream ? -1 : 0);
    assert_int_equal(v.eos, rules.stream ? -1 : 1);
    const int unk = rules.stream ? 0 : 2;
    assert_int_equal(v.unk, unk < v.count && !strcmp(v.words[unk].key, "[unk]") ? unk : -1);
    assert_int_equal(v.characters, rules.characters);
    vocabulary_free(&v);
}

static const VocabularyRules ALL = {.min_count = 1};

static void test_nine_sentences(void **state)
{
    (void)state;
    Text text = text_read("data/perro.txt", false);
    Vocabulary v = vocabulary_of("perro", text.clean, text.size, ALL);
    assert_tokens(&v, true,
                  "[bos] 0|[eos] 0|el 5|perro 3|come 5|un 5|hueso 1|muchacho 4|jugaba 3|"
                  "saltaba 1|la 3|cuerda 3|croquetas 2|gato 2|con 2|");
    vocabulary_free(&v);
    text_free(&text);
}

static void test_order(void **state)
{
    (void)state;
    assert_words("el perro el\n\ngato perro\n", ALL, "[bos]|[eos]|el|perro|gato|");
    assert_words("El el EL", ALL, "[bos]|[eos]|El|el|EL|");
    assert_words("¿Qué? bos", ALL, "[bos]|[eos]|¿|Qué|?|bos|");
    const VocabularyRules stream = {.stream = true, .min_count = 1};
    assert_words("un gato\nun perro", stream, "un|gato|perro|");
    const VocabularyRules characters = {.stream = true, .characters = true, .min_count = 1};
    assert_words("añb a\nb👍", characters, "a|ñ|b| |\n|👍|");
    /* By lines, no id for what stands in no line: ends, and blank lines. */
    VocabularyRules lines = {.characters = true, .min_count = 1};
    assert_words("ab\nb a\n \t \nc", lines, "[bos]|[eos]|a|b| |c|");
    lines.max_words = 3; /* nor does anything become unknown for it */
    assert_words("ab\nab\nabc", lines, "[bos]|[eos]|a|b|c|");
}

static void test_min_count(void **state)
{
    (void)state;
    const char *text = "d a b a c c d e a";
    assert_words(text, ALL, "[bos]|[eos]|d|a|b|c|e|");
    VocabularyRules rules = {.min_count = 2};
    assert_words(text, rules, "[bos]|[eos]|[unk]|d|a|c|");
    assert_words("b b a a", rules, "[bos]|[eos]|b|a|"); /* nothing goes, so nothing unknown */
    rules.stream = true;
    assert_words(text, rules, "[unk]|d|a|c|");
    rules.characters = true;
    assert_words("abcab", rules, "[unk]|a|b|");
}

static void keep_common(void *text)
{
    Vocabulary v = vocabulary(text, (VocabularyRules){.min_count = 3});
    vocabulary_free(&v);
}

static void test_nothing_kept(void **state)
{
    (void)state;
    assert_dies(keep_common, "a b a b", "a.txt", "comes 3 times", "--min-count");
}

static void test_max_words(void **state)
{
    (void)state;
    const char *text = "b a c a b d d"; /* 2 2 1 2: ties go to the earlier one */
    static const char *const wanted[] = {"[bos]|[eos]|b|a|c|d|",   "[bos]|[eos]|[unk]|b|",
                                         "[bos]|[eos]|[unk]|b|a|", "[bos]|[eos]|[unk]|b|a|d|",
                                         "[bos]|[eos]|b|a|c|d|",   "[bos]|[eos]|b|a|c|d|"};
    for (int most = 0; most < 6; most++)
        assert_words(text, (VocabularyRules){.min_count = 1, .max_words = most}, wanted[most]);
    /* The ids stay in order of appearance, whatever the counts. */
    assert_words("x y y z z z", (VocabularyRules){.min_count = 1, .max_words = 2},
                 "[bos]|[eos]|[unk]|y|z|");
    assert_words("x y y z z z", (VocabularyRules){.min_count = 2, .max_words = 1, .stream = true},
                 "[unk]|z|");
    assert_words("x y y z z z", (VocabularyRules){.min_count = 2, .max_words = 5},
                 "[bos]|[eos]|[unk]|y|z|");
}

static void test_unknown(void **state)
{
    (void)state;
    Vocabulary v = vocabulary("a a b c c c", ALL);
    assert_int_equal(v.unk, -1);
    assert_int_equal(vocabulary_id(&v, "d", 1), -1);
    assert_int_equal(vocabulary_id(&v, "", 0), -1);
    assert_int_equal(vocabulary_id(&v, "cab", 1), 4); /* only so many bytes */
    assert_int_equal(vocabulary_id(&v, "A", 1), -1);
    vocabulary_free(&v);

    v = vocabulary("a a b c c c d", (VocabularyRules){.min_count = 2});
    assert_tokens(&v, true, "[bos] 0|[eos] 0|[unk] 2|a 2|c 3|");
    assert_int_equal(vocabulary_id(&v, "b", 1), 2);
    assert_int_equal(vocabulary_id(&v, "never seen", 10), 2);
    char *large = memset(malloc(100000), 'a', 100000);
    assert_int_equal(vocabulary_id(&v, large, 100000), 2);
    free(large);
    vocabulary_free(&v);
}

/* ---- Long words, many words ---- */

static char *letters(size_t count)
{
    char *text = memset(malloc(count + 1), 'x', count);
    text[count] = 0;
    return text;
}

static void count_words(void *text)
{
    Vocabulary v = vocabulary(text, ALL);
    vocabulary_free(&v);
}

static void test_long_words(void **state)
{
    (void)state;
    char *text = letters(1000), *longer = letters(1001);
    Vocabulary v = vocabulary(text, ALL);
    assert_int_equal(v.count, 3);
    assert_int_equal(vocabulary_id(&v, text, 1000), 2);
    assert_int_equal(vocabulary_id(&v, longer, 1001), -1);
    vocabulary_free(&v);

    char *late = format_text("el %s", longer);
    assert_dies(count_words, late, "a.txt", "1001 bytes", "(at byte 4)", "--tokens char");
    v = vocabulary(late, (VocabularyRules){.characters = true, .stream = true, .min_count = 1});
    assert_tokens(&v, true, "e 1|l 1|  1|x 1001|");
    vocabulary_free(&v);
    free(text), free(longer), free(late);
}

static void test_many_words(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    char *text = malloc(MANY * 16), *put = text;
    for (int i = 0; i < MANY; i++)
        put += sprintf(put, "w%d%c", i * 7919 % MANY, i % 9 ? ' ' : '\n');
    put += sprintf(put, "w3 w3");
    Vocabulary v = vocabulary(text, ALL);
    assert_int_equal(v.count, MANY + 2);
    for (int i = 0; i < MANY; i++) {
        char word[16];
        const int size = sprintf(word, "w%d", i * 7919 % MANY);
        assert_int_equal(vocabulary_id(&v, word, (size_t)size), i + 2);
        assert_string_equal(v.words[i + 2].key, word);
        assert_int_equal(v.words[i + 2].value, strcmp(word, "w3") ? 1 : 3);
    }
    vocabulary_free(&v);

    v = vocabulary(text, (VocabularyRules){.min_count = 1, .max_words = 12000});
    assert_int_equal(v.count, 12003);
    /* The last of the kept ones is the most frequent one, whose first appearance is late. */
    assert_int_equal(vocabulary_id(&v, "w3", 2), 12002);
    assert_int_equal(v.words[v.unk].value, MANY - 12000);
    vocabulary_free(&v);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nine_sentences), cmocka_unit_test(test_order),
        cmocka_unit_test(test_min_count),      cmocka_unit_test(test_nothing_kept),
        cmocka_unit_test(test_max_words),      cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_long_words),     cmocka_unit_test(test_many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
