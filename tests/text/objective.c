/* objective.c: what the rows of a sequence read and predict: text/objective.h. */
#include "tests/helpers/test.h"
#include "text/objective.h"

enum { BOS, EOS, SPECIAL, FIRST_WORD, V = 20 }; /* SPECIAL: [sep] or [mask] */

static Objective objective(ObjectiveKind kind)
{
    return (Objective){.kind = kind,
                       .share = 0.15,
                       .bos = BOS,
                       .eos = EOS,
                       .sep = objective_answers(kind) ? SPECIAL : -1,
                       .mask = kind == OBJECTIVE_MASKED ? SPECIAL : -1,
                       .vocabulary = V};
}

static void assert_targets(const Objective *o, const Sequence *s, const int *wanted)
{
    int counted = 0;
    for (int i = 0; i < s->rows; i++) {
        assert_int_equal(objective_target(o, s, i), wanted[i]);
        counted += wanted[i] >= 0;
    }
    assert_int_equal(objective_targets(o, s), counted);
}

TEST(the_next_token_is_predicted)
{
    static const int tokens[] = {BOS, 7, 5, EOS};
    const Objective o = objective(OBJECTIVE_NEXT);
    const Sequence s = objective_sequence(&o, tokens, 3);
    assert_targets(&o, &s, tokens + 1);
    assert_int_equal(s.prefix, 0);
}

/* [bos] 7 5 [sep] 9 8 [eos]: from [sep] on the rows count, and the source is up to [sep]. */
TEST(only_the_target_of_a_pair_counts)
{
    static const int tokens[] = {BOS, 7, 5, SPECIAL, 9, 8, EOS};
    Objective o = objective(OBJECTIVE_PAIRS);
    const Sequence s = objective_sequence(&o, tokens, 6);
    assert_targets(&o, &s, (const int[]){-1, -1, -1, 9, 8, EOS});
    assert_int_equal(s.prefix, 4);
    o.causal_source = true;
    const Sequence causal = objective_sequence(&o, tokens, 6);
    assert_targets(&o, &causal, (const int[]){-1, -1, -1, 9, 8, EOS});
    assert_int_equal(causal.prefix, 0);
}

/* [bos] 7 5 [sep] 9 [eos] 6 [sep] 8 4 [eos]: the answers count, with their [eos]; a piece may begin
 * with the [eos] before a turn. Nothing is seen ahead. */
TEST(only_the_answers_of_a_conversation_count)
{
    static const int tokens[] = {BOS, 7, 5, SPECIAL, 9, EOS, 6, SPECIAL, 8, 4, EOS};
    const Objective o = objective(OBJECTIVE_TURNS);
    const Sequence all = objective_sequence(&o, tokens, 10);
    assert_targets(&o, &all, (const int[]){-1, -1, -1, 9, EOS, -1, -1, 8, 4, EOS});
    assert_int_equal(all.prefix, 0);
    const Sequence later = objective_sequence(&o, tokens + 5, 5);
    assert_targets(&o, &later, (const int[]){-1, -1, 8, 4, EOS});
}

/* ChatML: a mark begins with [bos], after which a person's has 15 17 and the model's 16 17. */
TEST(answers_in_chatml_begin_after_their_mark)
{
    enum { USER = 15, ASSISTANT, LINE_END };
    static const int tokens[] = {BOS,      USER,      LINE_END, 7,        EOS,       LINE_END,
                                 BOS,      ASSISTANT, LINE_END, 9,        ASSISTANT, EOS,
                                 LINE_END, BOS,       USER,     LINE_END, 5};
    Objective o = objective(OBJECTIVE_TURNS);
    o.sep = BOS;
    o.opening = 2;
    o.assistant = ASSISTANT;
    const Sequence s = objective_sequence(&o, tokens, 16);
    assert_targets(
        &o, &s,
        (const int[]){-1, -1, -1, -1, -1, -1, -1, -1, 9, ASSISTANT, EOS, -1, -1, -1, -1, -1});
}

TEST(each_token_but_the_ends_can_be_hidden)
{
    static const int tokens[] = {BOS, 7, 5, EOS};
    const Objective o = objective(OBJECTIVE_MASKED);
    const Sequence s = objective_sequence(&o, tokens, 4);
    assert_targets(&o, &s, (const int[]){-1, 7, 5, -1});
    assert_int_equal(s.prefix, 4);
}

/* What many steps do to a long sequence: the shares that BERT has, and nothing else. */
TEST(the_shares_of_what_is_hidden)
{
    enum { ROWS = 100, STEPS = 2000 };
    int tokens[ROWS], inputs[ROWS], targets[ROWS];
    const Objective o = objective(OBJECTIVE_MASKED);
    for (int i = 0; i < ROWS; i++)
        tokens[i] = FIRST_WORD + i % (V - FIRST_WORD);
    tokens[0] = BOS;
    tokens[ROWS - 1] = EOS;
    const Sequence s = objective_sequence(&o, tokens, ROWS);
    double hidden = 0, masked = 0, same = 0, other = 0;
    for (int step = 1; step <= STEPS; step++) {
        const HideDraw draw = {.seed = 1, .step = (uint32_t)step};
        const int counted = objective_hide(&o, &s, draw, inputs, targets);
        int found = 0;
        assert_int_equal(targets[0], -1);
        assert_int_equal(targets[ROWS - 1], -1);
        for (int i = 0; i < ROWS; i++) {
            if (targets[i] < 0) {
                assert_int_equal(inputs[i], tokens[i]);
                continue;
            }
            found++;
            assert_int_equal(targets[i], tokens[i]);
            masked += inputs[i] == SPECIAL;
            same += inputs[i] == tokens[i];
            other += inputs[i] != SPECIAL && inputs[i] != tokens[i];
        }
        assert_int_equal(counted, found);
        hidden += found;
    }
    /* A random token is the token itself once in V - 1 times. */
    assert_close_one("hidden", hidden / (STEPS * (ROWS - 2)), 0.15, 0.003);
    assert_close_one("masked", masked / hidden, 0.8, 0.01);
    assert_close_one("same", same / hidden, 0.1 + 0.1 / (V - 1), 0.01);
    assert_close_one("other", other / hidden, 0.1 - 0.1 / (V - 1), 0.01);
}

/* With a small share nothing would be hidden in most sequences; and a row's draws depend on its
 * number in the step, not on where its part of the step begins. */
TEST(one_token_at_least_is_hidden)
{
    static const int tokens[] = {BOS, 7, 5, 6, EOS};
    int inputs[5], targets[5], inputs_again[5], targets_again[5], rows[5] = {0};
    Objective o = objective(OBJECTIVE_MASKED);
    o.share = 1e-9;
    const Sequence s = objective_sequence(&o, tokens, 5);
    for (uint32_t step = 1; step <= 300; step++) {
        const HideDraw draw = {.seed = 1, .step = step, .row = 40};
        assert_int_equal(objective_hide(&o, &s, draw, inputs, targets), 1);
        assert_int_equal(objective_hide(&o, &s, draw, inputs_again, targets_again), 1);
        assert_memory_equal(inputs, inputs_again, sizeof inputs);
        assert_memory_equal(targets, targets_again, sizeof targets);
        for (int i = 0; i < 5; i++)
            rows[i] += targets[i] >= 0;
    }
    assert_int_equal(rows[0] + rows[4], 0);
    for (int i = 1; i < 4; i++)
        assert_true(rows[i] > 60);
}
