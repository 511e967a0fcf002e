/* floor.c: the floor is what brute force counts: no model can do better on the training text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/corpus/floor.h"
#include "tests/helpers/close.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/patterns.h"

/* A text by lines, cut. */
static Corpus corpus(const char *string, bool characters, int context, double held_out)
{
    Text text = literal_text(string);
    Tokenizer t = literal_tokenizer(string, characters ? TOKENIZER_CHAR : TOKENIZER_WORD, false);
    Corpus c = corpus_new(&text, &t);
    corpus_cut(&c, context, held_out, 1);
    tokenizer_free(&t);
    text_free(&text);
    return c;
}

static Corpus nine_sentences(bool characters, int *words)
{
    Text text = text_read("data/perro.txt", false);
    Tokenizer t =
        literal_tokenizer(text.clean, characters ? TOKENIZER_CHAR : TOKENIZER_WORD, false);
    Corpus c = corpus(text.clean, characters, 40, 0);
    *words = t.vocabulary.count;
    tokenizer_free(&t);
    text_free(&text);
    return c;
}

/* The floor for a model of one layer whose head has this pattern. */
static double floor_with(const Corpus *c, Pattern pattern)
{
    int seen;
    return floor_of(c, &pattern, 1, 1, &seen);
}

static const Pattern ALL = W(0);

/* ---- By brute force ---- */

/* Whether the targets at place i of two pieces have the same tokens before them, of which those
 * count that the pattern attends to. */
static bool alike(const int *a, const int *b, int i, Pattern pattern)
{
    for (int j = 0; j <= i; j++)
        if (a[j] != b[j] && pattern_attends(pattern, i, j, 0))
            return false;
    return true;
}

static double surprise_at(const Corpus *c, const int *tokens, const int *piece, int i,
                          Pattern pattern)
{
    int seen = 0, followed = 0;
    for (size_t p = 0; p < c->train.count; p++) {
        const Piece piece_of = corpus_piece(c, &c->train, p);
        const int *other = tokens + piece_of.from;
        if (i < (int)piece_of.length && alike(piece, other, i, pattern)) {
            seen++;
            followed += other[i + 1] == piece[i + 1];
        }
    }
    return -log((double)followed / seen);
}

static double brute_floor(const Corpus *c, Pattern pattern)
{
    double sum = 0;
    size_t targets = 0;
    int *tokens = corpus_tokens(c);
    for (size_t p = 0; p < c->train.count; p++) {
        const Piece piece = corpus_piece(c, &c->train, p);
        for (int i = 0; i < (int)piece.length; i++, targets++)
            sum += surprise_at(c, tokens, tokens + piece.from, i, pattern);
    }
    free(tokens);
    return sum / (double)targets;
}

/* Every pattern against brute force. A model whose window is larger can do no worse. */
static void check_patterns(const Corpus *c)
{
    static const Pattern windows[] = {W(1), W(2), W(3), W(5), W(8), W(0)};
    static const Pattern others[] = {STRIDED(2),    STRIDED(3),    FIXED(2),     FIXED(4),
                                     SUMMARY(3, 1), SUMMARY(5, 2), SUMMARY(2, 2)};
    double before = INFINITY;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const double floor = floor_with(c, windows[i]);
        assert_close_one("the floor", floor, brute_floor(c, windows[i]), 1e-12);
        assert_true(floor <= before + 1e-12 && floor > 0);
        before = floor;
    }
    assert_true(floor_with(c, windows[0]) > before + 1e-3); /* else windows would prove nothing */
    assert_close_one("a long window", floor_with(c, (Pattern)W(1000)), before, 0);
    assert_close_one("the longest", floor_with(c, (Pattern)W(0x7FFFFFFF)), before, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_close_one("the floor", floor_with(c, others[i]), brute_floor(c, others[i]), 1e-12);
}

/* How many tokens count at most is what the run says of its floor. */
static void test_what_the_model_sees_is_counted(void **state)
{
    (void)state;
    static const struct {
        Pattern patterns[4]; /* of two layers with two heads */
        int seen;
    } cases[] = {{{W(3), W(1), W(1), W(2)}, 4},        {{W(0), W(1), W(1), W(2)}, 0},
                 {{W(5), W(1), W(4), W(1)}, 0}, /* 8 tokens, and no line is longer */
                 {{STRIDED(3), W(1), W(1), W(1)}, 3},  {{STRIDED(3), W(1), W(3), W(1)}, 0},
                 {{FIXED(4), W(1), W(1), FIXED(4)}, 4}};
    Corpus c = corpus("a b c d e f g\n", false, 8, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int seen;
        floor_of(&c, cases[i].patterns, 2, 2, &seen);
        assert_int_equal(seen, cases[i].seen);
        floor_of(&c, NULL, 2, 2, &seen);
        assert_int_equal(seen, 0);
    }
    corpus_free(&c);
}

/* ---- The nine sentences ---- */

static void test_the_floor_of_the_nine_sentences(void **state)
{
    (void)state;
    int words;
    Corpus c = nine_sentences(false, &words);
    assert_int_equal(c.train.targets, 48);
    assert_close_one("uniform", log(words), 2.708050, 5e-7);
    assert_close_one("unigram", floor_unigram(&c, words), 2.479451, 5e-7);
    const double floor = floor_with(&c, ALL);
    assert_close_one("the floor", floor, 0.411980, 5e-7);
    assert_close_one("its sum", floor * 48, 19.775021, 5e-7);
    /* By hand: 9 lines begin 5 : 4, and then "el" goes on 2 : 2 : 1, "un" 2 : 1 : 1; the three
     * that fork later do so 1 : 1, for two lines each. */
    const double sum = 9 * log(9) - 5 * log(5) - 4 * log(4) + (5 * log(5) - 4 * log(2)) +
                       (4 * log(4) - 2 * log(2)) + 3 * 2 * log(2);
    assert_close_one("its sum", floor * 48, sum, 1e-12);
    check_patterns(&c);
    corpus_free(&c);
}

static void test_the_floor_of_their_characters(void **state)
{
    (void)state;
    int characters;
    Corpus c = nine_sentences(true, &characters);
    assert_close_one("the floor", floor_with(&c, ALL), 0.093278, 5e-7);
    check_patterns(&c);
    corpus_free(&c);
}

/* ---- Made-up texts ---- */

/* Lines of 1 to 30 words out of six, whose beginnings repeat. */
static char *made_up(int lines)
{
    char *text = malloc((size_t)lines * 60 + 1), *put = text;
    unsigned random = 1;
    for (int line = 0; line < lines; line++) {
        const int words = 1 + line * line % 30;
        for (int i = 0; i < words; i++) {
            random = random * 1103515245u + 12345;
            const unsigned most = i % 3 == 2 ? 2 : i % 3 == 1 ? 3 : 6;
            put += sprintf(put, "%c%c", 'a' + (int)((random >> 16) % most),
                           i + 1 < words ? ' ' : '\n');
        }
    }
    return text;
}

static void test_the_floor_of_lines_that_are_cut(void **state)
{
    (void)state;
    static const int contexts[] = {1, 2, 8, 13, 31};
    char *text = made_up(200);
    for (size_t i = 0; i < 5; i++) {
        Corpus c = corpus(text, false, contexts[i], 0.3);
        assert_true(i == 4 || c.lines_cut > 0);
        if (contexts[i] >= 8)
            check_patterns(&c);
        else
            assert_close_one("the floor", floor_with(&c, ALL), brute_floor(&c, ALL), 1e-12);
        corpus_free(&c);
    }
    free(text);

    /* By hand: [bos] a, b a, b in three pieces; their first places see nothing but [bos] or b,
     * and b goes on with a or with [eos]. */
    Corpus c = corpus("a b a b\n", false, 2, 0);
    assert_int_equal(c.train.count, 3);
    assert_close_one("a cut line's floor", floor_with(&c, ALL), 2 * log(2) / 5, 1e-15);
    corpus_free(&c);
}

/* The floor is that of a text without the lines that are held out. */
static void test_what_is_held_out_does_not_count(void **state)
{
    (void)state;
    char *text = made_up(60), *rest = calloc(strlen(text) + 1, 1);
    Tokenizer t = literal_tokenizer(text, TOKENIZER_WORD, false);
    const int V = t.vocabulary.count;
    Corpus c = corpus(text, false, 40, 0.25);
    assert_int_equal(c.held_out.count, 15);
    const char *line = text;
    size_t *lines = corpus_lines(&c);
    for (int i = 0; i < 60; i++) {
        const char *end = strchr(line, '\n') + 1;
        bool trained = false;
        for (size_t p = 0; p < c.train.count; p++)
            trained |= c.train.list[p].from == lines[i];
        if (trained)
            strncat(rest, line, (size_t)(end - line));
        line = end;
    }
    free(lines);
    Text trained = literal_text(rest);
    Corpus without = corpus_new(&trained, &t), whole;
    corpus_cut(&without, 40, 0, 1);
    whole = corpus(text, false, 40, 0);
    assert_int_equal(c.train.targets, without.train.targets);
    static const Pattern reaches[] = {W(1), W(3), W(0)};
    for (size_t i = 0; i < 3; i++) {
        assert_close_one("the floor", floor_with(&c, reaches[i]), floor_with(&without, reaches[i]),
                         1e-12);
        assert_true(fabs(floor_with(&c, reaches[i]) - floor_with(&whole, reaches[i])) > 1e-4);
    }
    assert_close_one("unigram", floor_unigram(&c, V), floor_unigram(&without, V), 1e-12);
    assert_true(fabs(floor_unigram(&c, V) - floor_unigram(&whole, V)) > 1e-6);
    tokenizer_free(&t);
    text_free(&trained);
    corpus_free(&c), corpus_free(&without), corpus_free(&whole);
    free(text), free(rest);
}

/* In one line, or in the same line again, every next token is certain. */
static void test_a_text_without_choice_has_the_floor_0(void **state)
{
    (void)state;
    Corpus c = corpus("el perro come\nel perro come\n", false, 8, 0);
    assert_close_one("a certain text", floor_with(&c, ALL), 0, 0);
    assert_close_one("its unigrams", floor_unigram(&c, 5), log(4), 1e-15);
    corpus_free(&c);
    c = corpus("a a a a a\n", false, 8, 0); /* the position tells where it ends */
    assert_close_one("a row of the same", floor_with(&c, (Pattern)W(1)), 0, 0);
    corpus_free(&c);
}

/* A stream's unigrams are those of its targets, without its first token. */
static void test_unigrams_of_a_stream(void **state)
{
    (void)state;
    Text text = literal_text("a b c c b c b");
    Tokenizer t = literal_tokenizer("a b c c b c b", TOKENIZER_WORD, true);
    Corpus c = corpus_new(&text, &t);
    corpus_cut(&c, 2, 0, 1);
    assert_close_one("unigram", floor_unigram(&c, t.vocabulary.count), log(2), 1e-15);
    corpus_free(&c);
    tokenizer_free(&t);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_floor_of_the_nine_sentences),
        cmocka_unit_test(test_the_floor_of_their_characters),
        cmocka_unit_test(test_what_the_model_sees_is_counted),
        cmocka_unit_test(test_the_floor_of_lines_that_are_cut),
        cmocka_unit_test(test_what_is_held_out_does_not_count),
        cmocka_unit_test(test_a_text_without_choice_has_the_floor_0),
        cmocka_unit_test(test_unigrams_of_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
