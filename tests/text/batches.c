/* batches.c: pieces as the rows of a batch: what each reads, what it is to predict, and where it
 * stands. */
#include <stb/stb_ds.h>

#include "model/gpt.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/test.h"
#include "text/corpus/batches.h"

TEST(pieces_become_rows)
{
    FREED_BY(corpus_free) Corpus c = corpus_of_string("a b c d e f g\nh i\nj\n", false, false);
    corpus_cut(&c, 3, 0, 1);
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(13);
    const Batch batch = batch_fill_hiding(&room, &c, c.train.list, 5, (HideDraw){.row = 40});
    assert_int_equal(batch.rows, 13);
    assert_int_equal(batch.sequences, 5);
    assert_int_equal(batch.first_row, 40);
    assert_int_equal(batch.counted, 13);
    /* Only a line's first piece reads [bos] and only its last predicts [eos]. */
    ASSERT_INTS(batch.start, 0, 3, 6, 8, 11, 13);
    ASSERT_INTS(batch.tokens, 0, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 0, 11);
    ASSERT_INTS(batch.targets, 2, 3, 4, 5, 6, 7, 8, 1, 9, 10, 1, 11, 1);

    /* The same room again, with pieces in another order. */
    const Piece some[] = {{13, 2}, {3, 3}};
    const Batch again = batch_fill(&room, &c, some, 2);
    assert_int_equal(again.rows, 5);
    assert_int_equal(again.first_row, 0);
    ASSERT_INTS(again.start, 0, 2, 5);
    ASSERT_INTS(again.tokens, 0, 11, 4, 5, 6);
    ASSERT_INTS(again.targets, 11, 1, 5, 6, 7);
}

/* Ids 3 a, 4 b, 5 c, 6 d: [bos] a b [sep] c [eos] and [bos] d [sep] a b [eos]. */
TEST(only_the_targets_of_pairs_count)
{
    CORPUS(c, t, OBJECTIVE_PAIRS, TOKENIZER_WORD, false, "a b\tc\nd\ta b\n");
    corpus_cut(&c, 8, 0, 1);
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(10);
    Batch batch = batch_fill(&room, &c, c.train.list, 2);
    assert_true(batch.rows == 10 && batch.sequences == 2 && batch.counted == 5);
    ASSERT_INTS(batch.start, 0, 5, 10);
    ASSERT_INTS(batch.tokens, 0, 3, 4, 2, 5, 0, 6, 2, 3, 4);
    ASSERT_INTS(batch.targets, -1, -1, -1, 5, 1, -1, -1, 3, 4, 1);
    ASSERT_INTS(batch.prefix, 4, 3);
    assert_int_equal(batch_targets(&room, &c, c.train.list, 2, (HideDraw){0}), 5);

    c.objective.causal_source = true;
    batch = batch_fill(&room, &c, c.train.list, 2);
    assert_true(batch.prefix == NULL && batch.counted == 5);
    ASSERT_INTS(batch.targets, -1, -1, -1, 5, 1, -1, -1, 3, 4, 1);
}

static const char HIDDEN[] = "a b c d e\nb c\na\nd c b a\na a a b b b\n";

/* A step of five sequences in parts: whatever the parts, each row reads and predicts the same. */
TEST(the_parts_of_a_step_hide_the_same_tokens)
{
    CORPUS(c, t, OBJECTIVE_MASKED, TOKENIZER_WORD, false, HIDDEN);
    c.objective.share = 0.3;
    corpus_cut(&c, 8, 0, 1);
    const int rows = (int)c.train.rows, count = (int)c.train.count;
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(rows), parts = batch_room_new(rows);
    for (uint32_t step = 1; step < 50; step++) {
        HideDraw hide = {.seed = 3, .step = step};
        const Batch whole = batch_fill_hiding(&room, &c, c.train.list, count, hide);
        assert_int_equal(batch_targets(&parts, &c, c.train.list, count, hide), whole.counted);
        int counted = 0;
        for (int from = 0, some; from < count; from += some) {
            some = 1 + (int)(step + (uint32_t)from) % 3;
            some = some < count - from ? some : count - from;
            const Batch part = batch_fill_hiding(&parts, &c, c.train.list + from, some, hide);
            assert_int_equal(part.first_row, hide.row);
            assert_ints(part.tokens, whole.tokens + hide.row, (size_t)part.rows);
            assert_ints(part.targets, whole.targets + hide.row, (size_t)part.rows);
            for (int s = 0; s < some; s++)
                assert_int_equal(part.prefix[s], part.start[s + 1] - part.start[s]);
            counted += part.counted;
            hide.row += (uint32_t)part.rows;
        }
        assert_int_equal(counted, whole.counted);
    }
}

/* ---- Evaluation ---- */

/* The definition of what an evaluation reads and predicts: each piece; or of each piece, each token
 * hidden once. An stb_ds array: for each sequence its rows, then each row's token and target. */
static int *all_of(const Corpus *c)
{
    int *all = NULL, tokens[50];
    size_t targets = 0;
    for (size_t p = 0; p < c->train.count; p++) {
        const Sequence s = corpus_sequence(c, corpus_piece(c, &c->train, p), tokens);
        const bool hides = c->objective.kind == OBJECTIVE_MASKED;
        for (int copy = 0; copy < (hides ? s.rows : 1); copy++) {
            if (hides && objective_target(&c->objective, &s, copy) < 0)
                continue;
            arrput(all, s.rows);
            for (int i = 0; i < s.rows; i++) {
                const bool counts = !hides || i == copy;
                arrput(all, hides && counts ? c->objective.mask : tokens[i]);
                arrput(all, counts ? objective_target(&c->objective, &s, i) : -1);
                targets += arrlast(all) >= 0;
            }
        }
    }
    assert_int_equal(targets, c->train.targets);
    return all;
}

/* The same from batches of at most `rows` rows, each as full as it can be. */
static int *in_batches(const Corpus *c, int rows)
{
    int *all = NULL, last = 0;
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(rows);
    BatchPlace place = {0};
    for (Batch batch; batch_next(&batch, &room, c, &c->train, &place); last = batch.rows) {
        int counted = 0;
        assert_true(batch.rows <= rows && batch.first_row == 0 && batch.sequences > 0);
        assert_true(!last || last + batch.start[1] > rows);
        for (int s = 0; s < batch.sequences; s++) {
            arrput(all, batch.start[s + 1] - batch.start[s]);
            for (int i = batch.start[s]; i < batch.start[s + 1]; i++) {
                arrput(all, batch.tokens[i]);
                arrput(all, batch.targets[i]);
                counted += batch.targets[i] >= 0;
            }
        }
        assert_int_equal(batch.counted, counted);
    }
    return all;
}

static void check_evaluation(ObjectiveKind objective, bool stream, const char *text, int context)
{
    CORPUS(c, t, objective, TOKENIZER_WORD, stream, text);
    corpus_cut(&c, context, 0, 1);
    FREED_ARRAY int *wanted = all_of(&c);
    const int longest = (int)c.longest < context ? (int)c.longest : context;
    for (int rows = longest; rows < 60; rows++) {
        FREED_ARRAY int *got = in_batches(&c, rows);
        assert_int_equal(arrlen(got), arrlen(wanted));
        assert_ints(got, wanted, arrlenu(wanted));
    }
}

/* Whatever the room, each target is evaluated once. */
TEST(an_evaluation_has_each_target_once)
{
    for (int context = 1; context < 9; context++) {
        check_evaluation(OBJECTIVE_NEXT, false, HIDDEN, context);
        check_evaluation(OBJECTIVE_MASKED, false, HIDDEN, context);
        check_evaluation(OBJECTIVE_MASKED, true, HIDDEN, context);
    }
    check_evaluation(OBJECTIVE_PAIRS, false, "a b\tc\nd\ta b\ne\ta\n", 8);
}

/* ---- Streams ---- */

enum { MOST = 600 };

/* What is known of the evaluation of a part of a stream. */
typedef struct {
    int times[MOST]; /* how often each token is a target */
    int seen[MOST];  /* how many rows of its sequence come before the one that predicts it */
    size_t rows;
} Reading;

/* The id of each token is its place in the text. */
static void check_rows(Reading *r, const Corpus *c, const Part *part, const Batch *batch, int s)
{
    const int *tokens = batch->tokens + batch->start[s], *targets = batch->targets;
    const int rows = batch->start[s + 1] - batch->start[s];
    const int *history = batch->history + s * HISTORY_MOST;
    assert_in_range(rows, 1, c->context);
    for (int h = 0; h < HISTORY_MOST; h++) {
        const int place = tokens[0] - HISTORY_MOST + h;
        assert_int_equal(history[h], place < (int)part->begin ? -1 : place);
    }
    for (int i = 0; i < rows; i++) {
        const int target = targets[batch->start[s] + i];
        assert_int_equal(tokens[i], tokens[0] + i);
        assert_true(tokens[i] >= (int)part->begin);
        if (target < 0)
            continue;
        assert_int_equal(target, tokens[i] + 1);
        r->times[target]++;
        r->seen[target] = i;
    }
}

static Reading read_part(const Corpus *c, const Part *part, int rows)
{
    Reading r = {0};
    FREED_BY(batch_room_free) BatchRoom room = batch_room_new(rows);
    BatchPlace place = {0};
    for (Batch batch; batch_next(&batch, &room, c, part, &place);) {
        int counted = 0;
        assert_in_range(batch.rows, 1, rows);
        for (int i = 0; i < batch.rows; i++)
            counted += batch.targets[i] >= 0;
        assert_int_equal(counted, batch.counted);
        for (int s = 0; s < batch.sequences; s++)
            check_rows(&r, c, part, &batch, s);
        r.rows += (size_t)batch.rows;
    }
    return r;
}

/* A stream of tokens that are all different: 0 1 2 3 … */
static Corpus corpus_of_numbers(int count)
{
    char text[MOST * 5], *put = text;
    for (int i = 0; i < count; i++)
        put += sprintf(put, "w%d ", i);
    return corpus_of_string(text, true, false);
}

/* Each token of a part is a target once, but for its first one; and half a context comes before the
 * row that predicts it, or all that the part has. */
static void check_part(const Corpus *c, const Part *part)
{
    for (int more = 0; more < 9; more += 4) {
        Reading r = read_part(c, part, c->context + more * c->context / 3);
        for (int i = 0; i < (int)c->ids.count; i++) {
            const int begin = (int)part->begin, before = i - 1 - begin, half = c->context / 2;
            const bool there = i > begin && i < (int)part->end;
            assert_int_equal(r.times[i], there);
            if (there)
                assert_true(r.seen[i] >= (before < half ? before : half));
        }
        assert_true(corpus_evaluation_rows(c, part) == (double)r.rows);
    }
}

TEST(a_stream_is_evaluated_after_half_a_context)
{
    for (int count = 40; count < 60; count++)
        for (int context = 1; context < 14; context++) {
            FREED_BY(corpus_free) Corpus c = corpus_of_numbers(count);
            corpus_cut(&c, context, 0.5, 1);
            check_part(&c, &c.train);
            check_part(&c, &c.held_out);
            corpus_set_aside(&c);
            check_part(&c, &c.train);
            check_part(&c, &c.aside);
        }
}

/* What was drawn is read as it is read among all others. */
TEST(a_sample_of_a_stream_is_read_alike)
{
    for (int context = 1; context < 20; context += 3) {
        FREED_BY(corpus_free) Corpus c = corpus_of_numbers(MOST);
        corpus_cut(&c, context, 0.5, 1);
        FREED_BY(part_free) Part sample = corpus_sample(&c, &c.held_out, 120, 1);
        assert_true(sample.sample);
        Reading all = read_part(&c, &c.held_out, 3 * context);
        Reading some = read_part(&c, &sample, 3 * context);
        size_t targets = 0;
        for (int i = 0; i < MOST; i++) {
            assert_true(!some.times[i] || (all.times[i] && some.seen[i] == all.seen[i]));
            targets += (size_t)some.times[i];
        }
        assert_int_equal(targets, sample.targets);
        assert_true(corpus_evaluation_rows(&c, &sample) == (double)some.rows);
    }
}
