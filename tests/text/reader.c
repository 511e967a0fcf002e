/* reader.c: every epoch has every target once, in an order that the seed and the epoch decide, and
 * a reader finds each place again. */
#include <limits.h>

#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/corpus/batches.h"

/* The pieces of an epoch have each row of the training part exactly once, and only the outermost
 * ones are short; returns the length of the first piece. */
static int check_epoch(Reader *reader, int64_t epoch)
{
    const Corpus *c = reader->corpus;
    reader_seek(reader, epoch, 0);
    AUTOFREE int *times = calloc(c->train.targets + 1, sizeof *times);
    int first = 0, count;
    const Piece *pieces = reader_take(reader, INT_MAX, &count);
    assert_int_equal(count, reader->count);
    assert_int_equal(count, epoch_pieces(c, 3, epoch));
    assert_true(reader->count <= epoch_most_pieces(c));
    for (int p = 0; p < count; p++) {
        const Piece piece = pieces[p];
        const size_t end = piece.from + piece.length;
        assert_true(piece.length > 0 && (int)piece.length <= c->context && end <= c->train.targets);
        assert_true((int)piece.length == c->context || !piece.from || end == c->train.targets);
        first = piece.from ? first : (int)piece.length;
        for (size_t i = piece.from; i < end; i++)
            times[i]++;
    }
    for (size_t i = 0; i < c->train.targets; i++)
        assert_int_equal(times[i], 1);
    return first;
}

static void check_stream(Corpus c, int context, double held_out)
{
    corpus_cut(&c, context, held_out, 3);
    FREED_BY(reader_free) Reader reader = reader_new(&c, 3);
    const size_t wanted = (size_t)context < c.train.targets ? (size_t)context : c.train.targets;
    AUTOFREE bool *seen = calloc(wanted + 1, 1);
    size_t different = 0;
    for (int64_t epoch = 0; epoch < 40 + 20 * context && epoch < 400; epoch++) {
        const int first = check_epoch(&reader, epoch);
        different += !seen[first];
        seen[first] = true;
    }
    /* Each cut comes sooner or later; of many cuts, enough of them do. */
    if (context <= 8)
        assert_int_equal(different, wanted);
    else
        assert_in_range(different, 20, wanted);
    corpus_free(&c);
}

/* Of a stream of hidden tokens, the first one is also a target. */
TEST(every_epoch_of_a_stream_has_every_target_once)
{
    static const int contexts[] = {1, 2, 3, 7, 8, 64, 1000};
    for (size_t i = 0; i < 7; i++) {
        check_stream(corpus_made_up(30, 9, true), contexts[i], 0);
        check_stream(corpus_made_up(30, 9, true), contexts[i], 0.3);
    }
    for (int context = 1; context < 9; context++)
        check_stream(corpus_made_up(2, 4, true), context, 0); /* 1 + 4 tokens */
    check_stream(corpus_of_string("a b", true, false), 1, 0);
    check_stream(corpus_of_string("a b", true, false), 5, 0.9);
    for (int context = 1; context < 9; context++) {
        TOKENIZER t;
        const char text[] = "abcdefghijklmnopqrstuvw";
        check_stream(corpus_for(OBJECTIVE_MASKED, TOKENIZER_CHAR, true, text, &t), context, 0.1);
    }
}

/* ---- The order of epochs ---- */

static bool same_pieces(const Piece *a, const Piece *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].from != b[i].from || a[i].length != b[i].length)
            return false;
    return true;
}

static const Piece *all_pieces(Reader *reader, int64_t epoch)
{
    int count;
    reader_seek(reader, epoch, 0);
    return reader_take(reader, INT_MAX, &count);
}

TEST(every_epoch_of_lines_has_every_piece_in_a_new_order)
{
    FREED_BY(corpus_free) Corpus c = corpus_made_up(30, 9, false);
    corpus_cut(&c, 5, 0.2, 1);
    const size_t count = c.train.count;
    FREED_BY(reader_free) Reader reader = reader_new(&c, 1);
    FREED_BY(reader_free) Reader other = reader_new(&c, 2);
    FREED_BY(reader_free) Reader same = reader_new(&c, 1);
    AUTOFREE Piece *before = calloc(count, sizeof *before);
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        const Piece *own = all_pieces(&reader, epoch), *others = all_pieces(&other, epoch);
        assert_int_equal(reader.count, count);
        assert_int_equal(epoch_pieces(&c, 1, epoch), count);
        size_t found = 0; /* all of the pieces, each once */
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                found += same_pieces(&c.train.list[i], &own[j], 1);
        assert_int_equal(found, count);
        assert_false(same_pieces(own, before, count));
        assert_false(same_pieces(own, others, count));
        assert_true(same_pieces(own, all_pieces(&same, epoch), count));
        memcpy(before, own, count * sizeof *before);
    }
}

TEST(a_stream_is_shuffled)
{
    FREED_BY(corpus_free) Corpus c = corpus_made_up(60, 9, true);
    corpus_cut(&c, 8, 0, 1);
    FREED_BY(reader_free) Reader reader = reader_new(&c, 1);
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        const Piece *pieces = all_pieces(&reader, epoch);
        size_t ascending = 0;
        for (size_t i = 1; i < reader.count; i++)
            ascending += pieces[i].from > pieces[i - 1].from;
        assert_in_range(ascending, reader.count / 4, 3 * reader.count / 4); /* shuffled */
    }
}

/* Reads 200 steps, and each of them again by a second reader that seeks its place. */
static void check_resume(Corpus *c, int most)
{
    FREED_BY(reader_free) Reader reader = reader_new(c, 7), resumed = reader_new(c, 7);
    size_t of_epoch = 0;
    int64_t epochs = 0;
    assert_int_equal(reader.epoch, 0);
    assert_int_equal(reader.next, 0);
    for (int step = 0; step < 200; step++) {
        const int64_t epoch = reader.epoch;
        const size_t next = reader.next;
        int count, count_resumed;
        const Piece *pieces = reader_take(&reader, most, &count);
        reader_seek(&resumed, epoch, next);
        const Piece *again = reader_take(&resumed, most, &count_resumed);
        assert_in_range(count, 1, most);
        assert_int_equal(count, count_resumed);
        assert_true(same_pieces(pieces, again, (size_t)count));
        assert_int_equal(reader.epoch, resumed.epoch);
        assert_int_equal(reader.next, resumed.next);

        /* An epoch is read to its end before the next begins; its last step may be smaller. */
        if (reader.epoch != epoch) {
            assert_int_equal(reader.epoch, epoch + 1);
            assert_int_equal(of_epoch, epoch_pieces(c, 7, epoch));
            of_epoch = 0;
            epochs++;
        }
        of_epoch += (size_t)count;
        assert_int_equal(reader.next, of_epoch);
        assert_true(count == most || reader.next == reader.count);
    }
    assert_true(epochs > 2);
}

TEST(a_place_beyond_the_epoch_is_refused)
{
    FREED_BY(corpus_free) Corpus c = corpus_made_up(15, 9, false);
    corpus_cut(&c, 5, 0, 7);
    FREED_BY(reader_free) Reader reader = reader_new(&c, 7);
    assert_true(reader_seek(&reader, 2, reader.count));
    assert_false(reader_seek(&reader, 2, reader.count + 1));
    assert_false(reader_seek(&reader, 2, SIZE_MAX));
    int count;
    reader_take(&reader, 4, &count); /* a refused place does no harm */
    assert_int_equal(count, 4);
    assert_int_equal(reader.epoch, 3);
}

TEST(a_reader_goes_on_from_any_place)
{
    static const int batches[] = {1, 3, 4, 1000};
    for (int stream = 0; stream < 2; stream++)
        for (size_t i = 0; i < 4; i++) {
            FREED_BY(corpus_free) Corpus c = corpus_made_up(15, 9, stream);
            corpus_cut(&c, 5, 0.1, 7);
            check_resume(&c, batches[i]);
        }
}
