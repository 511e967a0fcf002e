/* counts.c: what follows a beginning, and whether a text has some tokens in a row, as brute force
 * counts it, but in one reading of the text. */
#include "base/base.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/test.h"
#include "text/corpus/counts.h"

enum { V = 8 };
static const Tokenizer WORDS = {.kind = TOKENIZER_WORD};

/* Counts what comes next by comparing at each place. */
static size_t brute_next(const Corpus *c, size_t *next, const int *tokens, int count, bool *has)
{
    size_t sum = 0;
    const int all = (int)c->ids.count;
    AUTOFREE int *text = corpus_tokens(c);
    *has = false;
    memset(next, 0, V * sizeof *next);
    for (int at = 0; at + count <= all; at++) {
        if (memcmp(text + at, tokens, (size_t)count * sizeof *tokens))
            continue;
        *has = true;
        if (at + count < all) {
            next[text[at + count]]++;
            sum++;
        }
    }
    return sum;
}

static void check(const Corpus *c, const int *tokens, int count)
{
    size_t next[V], wanted[V];
    bool has;
    const size_t sum = brute_next(c, wanted, tokens, count, &has);
    assert_int_equal(counts_next(c, &WORDS, next, V, tokens, count), sum);
    assert_memory_equal(next, wanted, sizeof next);
    assert_int_equal(counts_has(c, &WORDS, tokens, count), has);
}

TEST(every_part_of_a_text_is_found)
{
    FREED_BY(corpus_free) Corpus c = corpus_made_up(12, 7, false);
    const int all = (int)c.ids.count;
    AUTOFREE int *tokens = corpus_tokens(&c);
    for (int from = 0; from < all; from++)
        for (int count = 1; from + count <= all && count < 12; count++) {
            check(&c, tokens + from, count);
            int other[12]; /* and with another last token */
            memcpy(other, tokens + from, (size_t)count * sizeof *other);
            other[count - 1] = (other[count - 1] + 1) % V;
            check(&c, other, count);
        }
}

TEST(matches_may_overlap)
{
    FREED_BY(corpus_free)
    Corpus c = corpus_of_string("a a a b a a a a b", true, false); /* 0 0 0 1 0 0 0 0 1 */
    check(&c, (const int[]){0, 0}, 2);
    check(&c, (const int[]){0, 0, 1, 0, 0}, 5);
    check(&c, (const int[]){0, 0, 0, 0, 0}, 5);
    check(&c, (const int[]){1}, 1);
}

/* 50,000 tokens of prompt on a text that repeats itself took the product of the two. */
TEST(a_long_prompt_takes_no_longer)
{
    enum { TEXT = 400000, PROMPT = 50000 };
    static uint16_t text[TEXT];
    const Corpus c = {.stream = true, .ids = {.at = text, .width = 2, .count = TEXT}};
    AUTOFREE int *prompt = calloc(PROMPT, sizeof *prompt);
    for (int i = 0; i < TEXT; i++)
        text[i] = i % 60000 == 59999;
    prompt[PROMPT - 1] = 2; /* differs at the very end */
    size_t next[V];
    const double begun = processor_seconds();
    for (int i = 0; i < 20; i++)
        counts_next(&c, &WORDS, next, V, prompt, 10);
    const double brief = processor_seconds() - begun;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(counts_next(&c, &WORDS, next, V, prompt, PROMPT), 0);
        assert_false(counts_has(&c, &WORDS, prompt, PROMPT));
    }
    assert_true(processor_seconds() - begun - brief < 20 * brief + 0.5);
}

/* ---- Gaps ---- */

enum { GAP = 99, MOST_GAPS = 3 };

/* By comparing at each place, gap by gap. */
static void check_gaps(const Corpus *c, const int *tokens, int count)
{
    size_t times[MOST_GAPS * V], wanted[MOST_GAPS * V] = {0}, sum = 0;
    AUTOFREE int *text = corpus_tokens(c);
    int gaps = 0;
    for (int i = 0; i < count; i++)
        gaps += tokens[i] == GAP;
    for (int at = 0; at + count <= (int)c->ids.count; at++) {
        bool agrees = true;
        for (int i = 0; i < count && agrees; i++) {
            const bool edge = text[at + i] == c->objective.bos || text[at + i] == c->objective.eos;
            agrees = tokens[i] == GAP ? !edge : tokens[i] == text[at + i];
        }
        sum += agrees;
        for (int i = 0, gap = 0; i < count && agrees; i++)
            if (tokens[i] == GAP)
                wanted[gap++ * V + text[at + i]]++;
    }
    assert_int_equal(counts_gaps(c, times, V, tokens, count, GAP), sum);
    assert_memory_equal(times, wanted, sizeof *times * (size_t)gaps * V);
}

/* Each part of a text with one to three gaps in it, side by side or not; of lines and of a
 * stream. */
TEST(gaps_are_counted_given_all_other_tokens)
{
    for (int stream = 0; stream <= 1; stream++) {
        FREED_BY(corpus_free) Corpus c = corpus_made_up(12, 7, stream);
        AUTOFREE int *tokens = corpus_tokens(&c);
        int part[7];
        for (int from = 0; from < (int)c.ids.count; from++)
            for (int count = 1; from + count <= (int)c.ids.count && count <= 7; count++)
                for (int gap = 0; gap < count; gap++)
                    for (int other = gap; other < count; other++) {
                        memcpy(part, tokens + from, (size_t)count * sizeof *part);
                        part[gap] = part[other] = part[(gap + other) / 2] = GAP;
                        check_gaps(&c, part, count);
                    }
    }
}

/* ---- Subwords ---- */

/* The ids of some bytes, one for each; $ is the beginning of a line. */
static int *bytes_of(const Tokenizer *t, const char *text)
{
    int *ids = malloc(strlen(text) * sizeof *ids);
    for (int i = 0; text[i]; i++)
        ids[i] = text[i] == '$' ? t->bos : tokenizer_find(t, (const char[]){text[i], 0});
    return ids;
}

/* A model may write "perro" byte by byte, and a prompt may end within a token of the text. */
TEST(subwords_are_compared_by_their_bytes)
{
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_BPE, false, "el perro come\nel perro\nel pez\n");
    const int all = tokenizer_size(&t);
    AUTOFREE size_t *next = calloc((size_t)all, sizeof *next);
    AUTOFREE int *ids = bytes_of(&t, "el perro"), *part = bytes_of(&t, "$el pe");
    AUTOFREE int *of_two_lines = bytes_of(&t, "come el");
    assert_true(counts_has(&c, &t, ids, 8));
    assert_int_equal(counts_next(&c, &t, next, all, ids, 8), 2);
    assert_int_equal(next[tokenizer_find(&t, " come")], 1);
    assert_int_equal(next[t.eos], 1);

    const size_t sum = counts_next(&c, &t, next, all, part, 6);
    assert_int_equal(next[tokenizer_find(&t, "z")], 1);
    assert_int_equal(sum, tokenizer_find(&t, "rro") < 0 ? 1 : 3);
    part[0] = t.eos;
    assert_false(counts_has(&c, &t, part, 6));
    assert_false(counts_has(&c, &t, of_two_lines, 7));
}

/* A word ends where bpe.h ends it, in the middle of a token or after several. */
TEST(next_words_of_subwords)
{
    CORPUS(c, t, OBJECTIVE_NEXT, TOKENIZER_BPE, false, "el perro come\nel perro, ya\nel pez\n");
    static const struct {
        const char *prompt, *before;
        int in_all, kinds;
        const char *words[2];
        int times[2];
    } cases[] = {{"el", "el", 3, 2, {" perro", " pez"}, {2, 1}},
                 {"el pe", " pe", 3, 2, {"rro", "z"}, {2, 1}},
                 {"perro", "perro", 2, 2, {" come", ","}, {1, 1}},
                 {"pez", "pez", 1, 1, {"[eos]"}, {1}},
                 {"$", "", 3, 1, {"el"}, {3}}}; /* the first word of a line */
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        FREED_BY(word_counts_free) WordCounts times;
        AUTOFREE int *ids = bytes_of(&t, cases[i].prompt);
        assert_int_equal(
            counts_next_words(&c, &t, ids, (int)strlen(cases[i].prompt), cases[i].before, &times),
            cases[i].in_all);
        assert_int_equal(times.words.count, cases[i].kinds);
        for (int w = 0; w < cases[i].kinds; w++)
            assert_int_equal(word_counts_of(&times, cases[i].words[w]), cases[i].times[w]);
    }
}
