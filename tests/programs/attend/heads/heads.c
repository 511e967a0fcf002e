/* heads.c: the maps that a model gives are 0 exactly outside the patterns, and the summaries are
 * right on maps made by hand. */
#include "tests/helpers/close.h"

#include "programs/attend/heads/heads.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/maps.h"

static const char LETTERS[] = "a b c d e f g h i j k";
static const int TOKENS[] = {0, 12, 3, 3, 7, 1, 4};
enum { T = 7 };

/* The prefix of each sequence that is read: none, some tokens, all of them. */
static const int PREFIXES[] = {0, 3, T};

static Sequence sequence_of(int prefix)
{
    return (Sequence){.tokens = TOKENS, .rows = T, .prefix = prefix};
}

/* Every cell of a head against the plain definition of its pattern. Returns the pairs. */
static size_t check_cells(const Head *head, Pattern pattern, int prefix)
{
    size_t pairs = 0;
    assert_memory_equal(&head->pattern, &pattern, sizeof pattern);
    for (int i = 0; i < T; i++) {
        double sum = 0;
        for (int j = 0; j < T; j++) {
            const bool seen = pattern_attends(pattern, i, j, prefix);
            const Real weight = ROW(head->map, i, T)[j];
            assert_int_equal(maps_has(head, i, j), seen);
            assert_true(seen ? weight > 0 : weight == 0);
            sum += (double)weight;
            pairs += seen;
        }
        assert_close_one("a row's sum", sum, 1, 1e-5);
    }
    return pairs;
}

TEST(weights_lie_inside_the_patterns)
{
    Tokenizer words = literal_tokenizer(LETTERS, TOKENIZER_WORD, false);
    for (int c = 0; c < 3 * CASE_COUNT; c++) {
        const Case *which = &CASES[c / 3];
        const GptConfig *config = &which->shape;
        const int L = config->layers, H = config->heads, prefix = PREFIXES[c % 3];
        const Sequence sequence = sequence_of(prefix);
        Gpt gpt = case_model(which);
        Heads heads = heads_read(&gpt, &words, &sequence, (Range){0, L}, (Range){0, H});
        assert_int_equal(words.vocabulary.count, config->vocabulary);
        assert_true(heads.begun);
        assert_int_equal(heads.prefix, prefix);
        assert_string_equal(heads.tokens[1], "k");
        size_t pairs = 0;
        EACH_HEAD (head, &heads)
            pairs += check_cells(head, pattern_at(config->patterns, head->layer * H + head->head),
                                 prefix);
        assert_int_equal(heads_pairs(&heads), pairs);
        heads_free(&heads);
        gpt_free(&gpt);
    }
    tokenizer_free(&words);
}

/* [sep] is token 7 of the texts here, at place 4. */
TEST(a_source_ends_with_its_separator)
{
    Tokenizer words = literal_tokenizer(LETTERS, TOKENIZER_WORD, false);
    Gpt gpt = case_model(&CASES[0]);
    Objective pairs = {.kind = OBJECTIVE_PAIRS, .sep = 7};
    for (int i = 0; i < 3; i++) {
        pairs.causal_source = i == 1;
        const Sequence sequence = objective_sequence(&pairs, TOKENS, i == 2 ? 4 : T);
        Heads heads = heads_read(&gpt, &words, &sequence, (Range){0, 1}, (Range){0, 1});
        assert_int_equal(heads.source, i == 2 ? 0 : 5); /* 2: it is cut before [sep] */
        assert_int_equal(heads.prefix, i == 0 ? 5 : 0);
        heads_free(&heads);
    }
    gpt_free(&gpt);
    tokenizer_free(&words);
}

TEST(some_heads_can_be_chosen)
{
    Tokenizer words = literal_tokenizer(LETTERS, TOKENIZER_WORD, false);
    Gpt gpt = case_model(&CASES[0]);
    const Sequence sequence = sequence_of(0);
    const int L = CASES[0].shape.layers, H = CASES[0].shape.heads;
    Heads all = heads_read(&gpt, &words, &sequence, (Range){0, L}, (Range){0, H});
    Heads some = heads_read(&gpt, &words, &sequence, (Range){1, L}, (Range){1, 2});
    assert_int_equal(some.layers * some.heads, L - 1);
    EACH_HEAD (head, &some) {
        assert_int_equal(head->head, 1);
        assert_memory_equal(head->map, all.head[head->layer * H + 1].map, T * T * sizeof(Real));
    }
    heads_free(&all);
    heads_free(&some);
    gpt_free(&gpt);
    tokenizer_free(&words);
}

static void assert_summary(const Heads *heads, int head, HeadSummary wanted)
{
    const HeadSummary got = head_summary(heads, &heads->head[head]);
    assert_close_one("entropy", got.entropy, wanted.entropy, 1e-6);
    assert_close_one("distance", got.distance, wanted.distance, 1e-6);
    assert_close_one("itself", got.itself, wanted.itself, 1e-6);
    assert_close_one("before", got.before, wanted.before, 1e-6);
    if (heads->prefix > 1)
        assert_close_one("after", got.after, wanted.after, 1e-6);
    else
        assert_true(isnan(got.after));
    assert_close_one("bos", got.bos, wanted.bos, 1e-6);
}

TEST(summaries_are_means_over_the_rows)
{
    static const Real maps[] = {
        1,   0, 0,   0,    1,    0,   0,   0,    1,    /* each to itself              */
        1,   0, 0,   1,    0,    0,   0,   1,    0,    /* each to the one before      */
        1,   0, 0,   0.5,  0.5,  0,   0.5, 0.25, 0.25, /* 0, 1 and 1.5 bits           */
        1,   0, 0,   0.25, 0.75, 0,   0,   0.5,  0.5,  /* a window of 2               */
        0.5, 0, 0.5, 0,    0.5,  0.5, 0.5, 0,    0.5,  /* the whole sequence, also ahead */
    };
    const Pattern patterns[] = {W(0), W(0), W(0), W(2), W(0)};
    Heads heads = maps_new(3, 5, patterns, NULL);
    maps_see_prefix(&heads, 4, 3);
    memcpy(heads.maps, maps, sizeof maps);
    assert_summary(&heads, 0, (HeadSummary){.itself = 1});
    assert_summary(&heads, 1, (HeadSummary){0, 2 / 3.0, 1 / 3.0, 1, 0, 0.5});
    assert_summary(&heads, 2, (HeadSummary){2.5 / 3, 1.75 / 3, 1.75 / 3, 0.375, 0, 0.5});
    assert_summary(&heads, 3, (HeadSummary){1.8112781245 / 3, 0.75 / 3, 2.25 / 3, 0.375, 0, 0.125});
    heads.prefix = 3;
    assert_summary(&heads, 4, (HeadSummary){1, 2.5 / 3, 0.5, 0, 0.25, 0.25});
    heads.prefix = 2; /* then only the first query sees the next token */
    assert_close_one("after", head_summary(&heads, &heads.head[4]).after, 0, 1e-6);

    assert_false(signbit(head_summary(&heads, &heads.head[0]).entropy));
    heads.begun = false;
    assert_true(isnan(head_summary(&heads, &heads.head[1]).bos));
    assert_close_one("before", head_summary(&heads, &heads.head[1]).before, 1, 0);
    heads_free(&heads);

    Heads one = maps_new(1, 1, patterns, NULL);
    assert_true(isnan(head_summary(&one, &one.head[0]).before));
    assert_true(isnan(head_summary(&one, &one.head[0]).bos));
    heads_free(&one);
}

TEST(summaries_need_no_single_range)
{
    static const Real map[] = {1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5};
    Heads heads = maps_new(4, 1, (const Pattern[]){STRIDED(2)}, NULL);
    memcpy(heads.maps, map, sizeof map);
    assert_int_equal(heads_pairs(&heads), 1 + 1 + 2 + 2);
    assert_summary(&heads, 0, (HeadSummary){2 / 4.0, (1 + 1) / 4.0, 3 / 4.0, 0, 0, 0.5 / 3});
    heads_free(&heads);
}
