/* advice.c: a text that is wrapped at a column, or has no spaces, is recognised, and others are
 * not. */

#include "programs/train/plan/plan.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"

static void assert_wrapped(const char *string, int column)
{
    Text text = literal_text(string);
    assert_int_equal(text_wrapped_at(&text), column);
    text_free(&text);
}

static void assert_hint(const char *string, TokenizerKind kind, const char *wanted)
{
    Text text = literal_text(string);
    char *advice = text_advice(&text, kind);
    if (wanted) {
        assert_non_null(advice);
        assert_non_null(strstr(advice, wanted));
    } else if (advice) {
        fail_msg("advice: %s", advice);
    }
    free(advice);
    text_free(&text);
}

/* Sentences of words of 1 to 11 letters, wrapped at a column, or with each sentence on a line. */
static char *prose(int column)
{
    char *text = malloc(100000), *put = text;
    int at = 0;
    for (int word = 0; word < 3000; word++) {
        const int length = 1 + word * word % 11;
        const bool ends = word % 13 == 12;
        if (column ? at && at + 1 + length + ends > column : word % 13 == 0 && word)
            at = 0, *put++ = '\n';
        else if (at)
            at++, *put++ = ' ';
        put += sprintf(put, "%.*s%s", length, "abcdefghijkl", ends ? "." : "");
        at += length + ends;
        if (column && word % 500 == 499)
            at = 0, put += sprintf(put, "\n\n"); /* paragraphs */
    }
    *put = 0;
    return text;
}

/* A text that repeats its words, however short, has something to learn. */
TEST(too_little_text_is_recognised)
{
    static const char prose[] = "One day a man came to the old town by the sea, and nobody there "
                                "had ever seen him before.";
    static const struct {
        const char *text, *advice;
        TokenizerKind kind;
    } cases[] = {
        {prose, "only 22 words, 21 of them different", TOKENIZER_WORD},
        {prose, "only 22 words, 21 of them different", TOKENIZER_CHAR},
        {"el perro come\nel gato come\nun perro come un gato\n", NULL, TOKENIZER_WORD},
        {"Ana\nLuis\nMarta\nPedro\n", NULL, TOKENIZER_CHAR},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Text text = literal_text(cases[i].text);
        AUTOFREE char *advice = text_advice_of_little(&text, cases[i].kind);
        if (cases[i].advice)
            assert_non_null(strstr(advice, cases[i].advice));
        else
            assert_null(advice);
        text_free(&text);
    }
}

TEST(wrapped_lines_are_recognised)
{
    static const int columns[] = {60, 72, 80, 100};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char *text = prose(columns[i]);
        assert_wrapped(text, columns[i]);
        free(text);
    }
}

TEST(a_sentence_on_each_line_is_not_wrapped)
{
    char *text = prose(0);
    assert_wrapped(text, 0);
    free(text);
    static const char *const ours[] = {"data/perro.txt", "data/cuentos.txt"};
    for (size_t i = 0; i < 2; i++) {
        Text file = text_read(ours[i], false);
        assert_int_equal(text_wrapped_at(&file), 0);
        assert_null(text_advice(&file, TOKENIZER_WORD));
        text_free(&file);
    }
}

/* Lines of 60 columns and an ending; if `longer`, one in 60 of them has a word of 30 more. */
static void assert_lines(int count, const char *ending, bool longer, int column)
{
    char *text = malloc(20000), *put = text;
    for (int i = 0; i < count; i++) {
        const char *more = longer && i % 60 == 30 ? "123456789012345678901234567890" : "";
        put += sprintf(put, "%.*s%s%s\n", 60 - (int)strlen(ending),
                       "four more five words and then a few that come after them once more", more,
                       ending);
    }
    assert_wrapped(text, column);
    free(text);
}

TEST(what_a_wrapped_text_needs)
{
    assert_lines(21, "", false, 60);
    assert_lines(120, "", true, 60); /* a few words may be longer than the line */
    assert_lines(120, "", false, 60);
    assert_lines(20, "", false, 0); /* too few to judge, since the last one has no next */
    /* Verse: lines of one length, each of which ends a sentence. */
    static const char *const endings[] = {".", "!", "?", ":", ".»", "?)", "!\" "};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        assert_lines(60, endings[i], false, 0);
    assert_lines(60, ",", false, 60);
    assert_lines(60, ". A", false, 60); /* the next sentence begins in this line */
    /* A table: its lines are words that fit nowhere. */
    char *table = NULL;
    for (int i = 0; i < 60; i++)
        extend_text(&table, "%d,+4230+00131,Europe/Andorra,and,other,columns\n", 1000 + i);
    assert_wrapped(table, 0);
    free(table);
}

/* `blocks` blocks of `lines` lines, with a blank line after each. */
static bool in_blocks(int lines, int blocks)
{
    char text[4000] = "";
    for (int block = 0; block < blocks; block++)
        for (int line = 0; line <= lines; line++)
            strcat(text, line < lines ? "come, dog\n" : "  \n");
    Text all = literal_text(text);
    const bool found = text_in_blocks(&all);
    text_free(&all);
    return found;
}

TEST(blocks_of_lines_are_recognised)
{
    assert_true(in_blocks(3, 20));
    assert_true(in_blocks(6, 20));
    assert_false(in_blocks(7, 20)); /* paragraphs, or stories */
    assert_false(in_blocks(3, 4));  /* too few lines to judge */
}

TEST(a_text_without_spaces_is_recognised)
{
    char text[4000] = "", words[4000] = "";
    for (int i = 0; i < 20; i++) {
        strcat(text, "犬は骨を食べる、猫は魚を食べる。\n");
        strcat(words, "개는 뼈를 먹고 고양이는 물고기를 먹는다.\n"); /* Korean has spaces */
    }
    assert_hint(text, TOKENIZER_WORD, "--tokens char");
    assert_hint(text, TOKENIZER_CHAR, NULL);
    assert_hint(words, TOKENIZER_WORD, NULL);
    char *row = memset(calloc(2001, 1), 'x', 2000);
    for (int i = 50; i < 2000; i += 50)
        row[i] = '\n';
    assert_hint(row, TOKENIZER_WORD, "--tokens char");
    free(row);
}

/* The hint is what is wrong. */
TEST(conversations_are_recognised)
{
    static const char *const cases[][2] = {
        {"A: a\nB: b\nA: c\nB: d\n", NULL},
        {"A: a\nB: b\nA: c\nd\nA: a\nB: b\n", "a.txt:4: the line has no NAME"},
        {"A: a\nB: b\nA: c\nd\nd\ne\n", NULL}, /* few of them */
        {"A: a\nB: b\nC: c\nD: d\nE: e\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = literal_text(cases[i][0]);
        char *advice = text_advice_of_turns(&text);
        assert_int_equal(advice != NULL, cases[i][1] != NULL);
        assert_true(!advice || strstr(advice, cases[i][1]));
        free(advice);
        text_free(&text);
    }
}

TEST(pairs_are_recognised)
{
    static const struct {
        const char *text, *advice; /* NULL: none */
        bool few_spaces;
    } cases[] = {
        {"a b\tc\nd\te f\ng h\n", "2 of 3 lines have one tab; --objective pairs", false},
        {"a\tb\nc\td\n", NULL, true},      /* all of them: these are pairs */
        {"a b\nc d\ne\tf\n", NULL, false}, /* few of them */
        {"3+4\t7\n8+9\t17\n", NULL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = literal_text(cases[i].text);
        char *advice = text_advice_of_pairs(&text);
        assert_int_equal(advice != NULL, cases[i].advice != NULL);
        assert_true(!advice || strstr(advice, cases[i].advice));
        assert_int_equal(text_has_few_spaces(&text), cases[i].few_spaces);
        free(advice);
        text_free(&text);
    }
}
