/* test_corpus.c: from a text to the pieces of every epoch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/corpus/corpus.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/scratch.h"

static Corpus corpus(const char *string, bool stream, bool characters)
{
    Text text = literal_text(string);
    Tokenizer t = literal_tokenizer(string, characters ? TOKENIZER_CHAR : TOKENIZER_WORD, stream);
    Corpus c = corpus_new(&text, &t);
    tokenizer_free(&t);
    text_free(&text);
    return c;
}

/* `lines` lines of 1 to `longest` words, the same every time. */
static char *made_up(int lines, int longest)
{
    char *text = malloc((size_t)lines * (size_t)longest * 3 + 1), *put = text;
    for (int line = 0; line < lines; line++)
        for (int left = 1 + line * 7 % longest; left > 0; left--)
            put += sprintf(put, "%c%c", 'a' + (line + left * left) % 5, left > 1 ? ' ' : '\n');
    return text;
}

static Corpus made_up_corpus(int lines, int longest, bool stream)
{
    char *text = made_up(lines, longest);
    Corpus c = corpus(text, stream, false);
    free(text);
    return c;
}

static void assert_ints(const int *got, const int *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (got[i] != wanted[i])
            fail_msg("number %zu is %d, wanted %d", i, got[i], wanted[i]);
}

/* ---- Tokens ---- */

static void assert_corpus(const Corpus *c, const int *tokens, size_t count)
{
    assert_int_equal(arrlen(c->tokens), count);
    assert_ints(c->tokens, tokens, count);
}

static void test_lines(void **state)
{
    (void)state;
    /* Blank lines and lines of any white space are none; the last one needs no end. */
    Corpus c = corpus("a b\n\n \t\r \n\u3000\nb\n\nc, a", false, false);
    assert_corpus(&c, (const int[]){0, 2, 3, 1, 0, 3, 1, 0, 4, 5, 2, 1}, 12);
    static const size_t lines[] = {0, 4, 7, 12};
    assert_int_equal(arrlen(c.lines), 4);
    assert_memory_equal(c.lines, lines, sizeof lines);
    assert_int_equal(c.longest, 4);
    assert_false(c.stream);
    corpus_free(&c);

    c = corpus("ab a\n \nb", false, true);
    assert_int_equal(arrlen(c.lines) - 1, 2);
    assert_int_equal(arrlen(c.tokens), 6 + 3);
    assert_int_equal(c.tokens[1], c.tokens[4]);
    assert_int_equal(c.tokens[2], c.tokens[7]);
    corpus_free(&c);
}

static void test_unknown_words(void **state)
{
    (void)state;
    Text text = literal_text("a b a\nc a b\n");
    Tokenizer t = tokenizer_train(&text, (TokenizerRules){.min_count = 2});
    Corpus c = corpus_new(&text, &t);
    assert_corpus(&c, (const int[]){0, 3, 4, 3, 1, 0, 2, 3, 4, 1}, 10);
    corpus_free(&c);
    tokenizer_free(&t);
    text_free(&text);
}

static void test_stream(void **state)
{
    (void)state;
    Corpus c = corpus("a b\n\na c\n", true, false);
    assert_corpus(&c, (const int[]){0, 1, 0, 2}, 4);
    assert_int_equal(c.longest, 3);
    assert_true(c.stream);
    corpus_free(&c);
    c = corpus("a\n\na b", true, true);
    assert_corpus(&c, (const int[]){0, 1, 1, 0, 2, 3}, 6);
    corpus_free(&c);
}

static void make_lines(void *text)
{
    Corpus c = corpus(text, false, false);
    corpus_free(&c);
}

static void make_stream(void *text)
{
    Corpus c = corpus(text, true, false);
    corpus_free(&c);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_dies(make_lines, "", "a.txt", "is empty");
    assert_dies(make_lines, "\n \t\n\u3000", "a.txt", "white space");
    assert_dies(make_stream, "\n\n", "a.txt", "white space");
    assert_dies(make_stream, "word\n", "a.txt", "one token", "--sequence lines");
}

/* ---- Pieces of lines ---- */

static void test_cut(void **state)
{
    (void)state;
    Corpus c = corpus("a b c d e f g\nh i\nj\n", false, false); /* 8, 3 and 2 inputs */
    assert_int_equal(c.longest, 8);
    corpus_cut(&c, 3, 0, 1);
    static const Piece wanted[] = {{0, 3}, {3, 3}, {6, 2}, {9, 3}, {13, 2}};
    assert_int_equal(arrlen(c.train), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(c.train[i].from, wanted[i].from);
        assert_int_equal(c.train[i].length, wanted[i].length);
    }
    assert_int_equal(c.lines_cut, 1);
    assert_int_equal(c.train_targets, 13);
    assert_int_equal(c.held_out_targets, 0);
    assert_int_equal(arrlen(c.held_out), 0);

    BatchRoom room = batch_room_new(13);
    const Batch batch = batch_fill(&room, &c, c.train, 5, 40);
    assert_int_equal(batch.rows, 13);
    assert_int_equal(batch.sequences, 5);
    assert_int_equal(batch.first_row, 40);
    /* Only a line's first piece reads [bos] and only its last foretells [eos]. */
    assert_ints(batch.start, (const int[]){0, 3, 6, 8, 11, 13}, 6);
    assert_ints(batch.tokens, (const int[]){0, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 0, 11}, 13);
    assert_ints(batch.targets, (const int[]){2, 3, 4, 5, 6, 7, 8, 1, 9, 10, 1, 11, 1}, 13);
    assert_ints(batch.positions, (const int[]){0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1}, 13);

    /* The same room again, with pieces in another order. */
    const Piece some[] = {{13, 2}, {3, 3}};
    const Batch again = batch_fill(&room, &c, some, 2, 0);
    assert_int_equal(again.rows, 5);
    assert_int_equal(again.first_row, 0);
    assert_ints(again.start, (const int[]){0, 2, 5}, 3);
    assert_ints(again.tokens, (const int[]){0, 11, 4, 5, 6}, 5);
    assert_ints(again.targets, (const int[]){11, 1, 5, 6, 7}, 5);
    assert_ints(again.positions, (const int[]){0, 1, 0, 1, 2}, 5);
    batch_room_free(&room);
    corpus_free(&c);
}

/* Which line a token belongs to. */
static int line_at(const Corpus *c, size_t token)
{
    int line = 0;
    while (c->lines[line + 1] <= token)
        line++;
    return line;
}

/* Holds pieces against the lines they came from, marking in `targets` each token foretold and in
 * `side` whose each line is. */
static void mark_pieces(const Corpus *c, const Piece *pieces, int *targets, int *side, int own)
{
    for (ptrdiff_t p = 0; p < arrlen(pieces); p++) {
        const Piece piece = pieces[p];
        const int line = line_at(c, piece.from);
        const size_t behind = (piece.from - c->lines[line]) % (size_t)c->context;
        assert_int_equal(behind, 0);
        assert_true(piece.length > 0 && piece.length <= c->context);
        assert_true(piece.from + (size_t)piece.length < c->lines[line + 1]);
        assert_true(side[line] == 0 || side[line] == own); /* a line is never torn */
        side[line] = own;
        for (int i = 1; i <= piece.length; i++)
            targets[piece.from + (size_t)i]++;
    }
}

/* Every target of every line stands in exactly one piece; returns how many lines are held out. */
static int check_pieces(const Corpus *c)
{
    const size_t lines = arrlenu(c->lines) - 1;
    int *targets = calloc(arrlenu(c->tokens), sizeof *targets);
    int *side = calloc(lines + 1, sizeof *side);
    mark_pieces(c, c->train, targets, side, 1);
    mark_pieces(c, c->held_out, targets, side, 2);
    int held_out = 0;
    size_t all[2] = {0, 0}, cut = 0;
    for (size_t line = 0; line < lines; line++) {
        const size_t inputs = c->lines[line + 1] - c->lines[line] - 1;
        assert_int_not_equal(side[line], 0);
        assert_int_equal(targets[c->lines[line]], 0); /* nothing foretells [bos] */
        for (size_t i = c->lines[line] + 1; i < c->lines[line + 1]; i++)
            assert_int_equal(targets[i], 1);
        held_out += side[line] == 2;
        all[side[line] - 1] += inputs;
        cut += inputs > (size_t)c->context;
    }
    assert_int_equal(c->train_targets, all[0]);
    assert_int_equal(c->held_out_targets, all[1]);
    assert_int_equal(c->lines_cut, cut);
    free(targets);
    free(side);
    return held_out;
}

static void test_split(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.01, 0.1, 0.25, 0.5, 0.9};
    static const int contexts[] = {1, 2, 3, 7, 12, 100};
    for (int lines = 1; lines <= 25; lines++)
        for (size_t s = 0; s < 6; s++) {
            Corpus c = made_up_corpus(lines, 11, false);
            corpus_cut(&c, contexts[(size_t)lines % 6], shares[s], 5);
            const long wanted = lround(shares[s] * lines);
            assert_int_equal(check_pieces(&c), wanted < lines ? wanted : lines - 1);
            corpus_free(&c);
        }
}

static void test_split_by_seed(void **state)
{
    (void)state;
    enum { LINES = 20, SEEDS = 200 };
    Corpus first = made_up_corpus(LINES, 9, false);
    corpus_cut(&first, 4, 0.2, 1);
    int drawn[LINES] = {0}, differ = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        Corpus c = made_up_corpus(LINES, 9, false), same = made_up_corpus(LINES, 9, false);
        corpus_cut(&c, 4, 0.2, seed);
        corpus_cut(&same, 4, 0.2, seed);
        assert_int_equal(arrlen(c.held_out), arrlen(same.held_out));
        for (ptrdiff_t i = 0; i < arrlen(c.held_out); i++) {
            assert_int_equal(c.held_out[i].from, same.held_out[i].from);
            const int line = line_at(&c, c.held_out[i].from);
            drawn[line] += c.held_out[i].from == c.lines[line];
        }
        differ += arrlen(c.held_out) != arrlen(first.held_out) ||
                  c.held_out[0].from != first.held_out[0].from;
        corpus_free(&c);
        corpus_free(&same);
    }
    assert_true(differ > SEEDS / 2);
    /* 40 times each: five deviations are 28. */
    for (int line = 0; line < LINES; line++)
        assert_in_range(drawn[line], 40 - 28, 40 + 28);
    corpus_free(&first);
}

/* ---- Streams ---- */

/* The pieces of an epoch foretell each token of the training part but the first exactly once, and
 * only the outermost ones are short; returns the length of the first piece. */
static int check_epoch(Reader *reader, int64_t epoch)
{
    const Corpus *c = reader->corpus;
    reader_seek(reader, epoch, 0);
    assert_int_equal(reader->count, epoch_pieces(c, reader->seed, epoch));
    int *targets = calloc(c->train_targets + 1, sizeof *targets), first = 0;
    for (size_t p = 0; p < reader->count; p++) {
        const Piece piece = reader->pieces[p];
        const size_t end = piece.from + (size_t)piece.length;
        assert_true(piece.length > 0 && piece.length <= c->context && end <= c->train_targets);
        assert_true(piece.length == c->context || !piece.from || end == c->train_targets);
        first = piece.from ? first : piece.length;
        for (size_t i = piece.from; i < end; i++)
            targets[i + 1]++;
    }
    assert_int_equal(targets[0], 0);
    for (size_t i = 1; i <= c->train_targets; i++)
        assert_int_equal(targets[i], 1);
    free(targets);
    return first;
}

static void check_stream(Corpus c, int context, double held_out)
{
    corpus_cut(&c, context, held_out, 3);
    Reader reader = reader_new(&c, 3);
    const size_t wanted = (size_t)context < c.train_targets ? (size_t)context : c.train_targets;
    bool *seen = calloc(wanted + 1, 1);
    size_t different = 0;
    for (int64_t epoch = 0; epoch < 40 + 20 * context && epoch < 400; epoch++) {
        const int first = check_epoch(&reader, epoch);
        different += !seen[first];
        seen[first] = true;
    }
    /* Each cut comes in its time; where there are many, enough of them. */
    if (context <= 8)
        assert_int_equal(different, wanted);
    else
        assert_in_range(different, 20, wanted);
    free(seen);
    reader_free(&reader);
    corpus_free(&c);
}

static void test_stream_epochs(void **state)
{
    (void)state;
    static const int contexts[] = {1, 2, 3, 7, 8, 64, 1000};
    for (size_t i = 0; i < 7; i++) {
        check_stream(made_up_corpus(30, 9, true), contexts[i], 0);
        check_stream(made_up_corpus(30, 9, true), contexts[i], 0.3);
    }
    for (int context = 1; context < 9; context++)
        check_stream(made_up_corpus(2, 4, true), context, 0); /* 1 + 4 tokens */
    check_stream(corpus("a b", true, false), 1, 0);
    check_stream(corpus("a b", true, false), 5, 0.9);
}

static void test_stream_held_out(void **state)
{
    (void)state;
    for (int lines = 2; lines < 12; lines++)
        for (int tenths = 0; tenths < 10; tenths++) {
            Corpus c = made_up_corpus(lines, 6, true);
            const size_t count = (size_t)arrlen(c.tokens);
            const size_t tail = (size_t)lround(tenths / 10.0 * (double)count);
            corpus_cut(&c, 4, tenths / 10.0, 1);
            const size_t end = tail >= 2 && count - tail >= 2 ? count - tail : count;
            assert_int_equal(c.train_end, end);
            assert_int_equal(c.train_targets, end - 1);
            assert_int_equal(c.held_out_targets, end < count ? count - end - 1 : 0);
            size_t next = end; /* they lie in a row and read nothing that is trained on */
            for (ptrdiff_t p = 0; p < arrlen(c.held_out); p++) {
                assert_int_equal(c.held_out[p].from, next);
                assert_in_range(c.held_out[p].length, 1, 4);
                next += (size_t)c.held_out[p].length;
            }
            assert_int_equal(next, end < count ? count - 1 : count);
            corpus_free(&c);
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

static void test_epochs_of_lines(void **state)
{
    (void)state;
    Corpus c = made_up_corpus(30, 9, false);
    corpus_cut(&c, 5, 0.2, 1);
    const size_t count = (size_t)arrlen(c.train);
    Reader reader = reader_new(&c, 1), other = reader_new(&c, 2), same = reader_new(&c, 1);
    Piece *before = calloc(count, sizeof *before);
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        reader_seek(&reader, epoch, 0);
        reader_seek(&other, epoch, 0);
        reader_seek(&same, epoch, 0);
        assert_int_equal(reader.count, count);
        assert_int_equal(epoch_pieces(&c, 1, epoch), count);
        size_t found = 0; /* all of the pieces, each once */
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                found += same_pieces(&c.train[i], &reader.pieces[j], 1);
        assert_int_equal(found, count);
        assert_false(same_pieces(reader.pieces, before, count));
        assert_false(same_pieces(reader.pieces, other.pieces, count));
        assert_true(same_pieces(reader.pieces, same.pieces, count));
        memcpy(before, reader.pieces, count * sizeof *before);
    }
    free(before);
    reader_free(&reader), reader_free(&other), reader_free(&same);
    corpus_free(&c);
}

static void test_stream_order(void **state)
{
    (void)state;
    Corpus c = made_up_corpus(60, 9, true);
    corpus_cut(&c, 8, 0, 1);
    Reader reader = reader_new(&c, 1);
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        reader_seek(&reader, epoch, 0);
        size_t ascending = 0;
        for (size_t i = 1; i < reader.count; i++)
            ascending += reader.pieces[i].from > reader.pieces[i - 1].from;
        assert_in_range(ascending, reader.count / 4, 3 * reader.count / 4); /* shuffled */
    }
    reader_free(&reader);
    corpus_free(&c);
}

/* Reads on from the start, and for every step again from the position before it. */
static void check_resume(Corpus *c, int most)
{
    Reader reader = reader_new(c, 7), resumed = reader_new(c, 7);
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

        /* An epoch is read to its end, the last step of it being fewer, before the next begins. */
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
    reader_free(&reader);
    reader_free(&resumed);
}

static void test_no_such_place(void **state)
{
    (void)state;
    Corpus c = made_up_corpus(15, 9, false);
    corpus_cut(&c, 5, 0, 7);
    Reader reader = reader_new(&c, 7);
    assert_true(reader_seek(&reader, 2, reader.count));
    assert_false(reader_seek(&reader, 2, reader.count + 1));
    assert_false(reader_seek(&reader, 2, SIZE_MAX));
    int count;
    reader_take(&reader, 4, &count); /* safe all the same */
    assert_int_equal(count, 4);
    assert_int_equal(reader.epoch, 3);
    reader_free(&reader);
    corpus_free(&c);
}

static void test_resume(void **state)
{
    (void)state;
    static const int batches[] = {1, 3, 4, 1000};
    for (int stream = 0; stream < 2; stream++)
        for (size_t i = 0; i < 4; i++) {
            Corpus c = made_up_corpus(15, 9, stream);
            corpus_cut(&c, 5, 0.1, 7);
            check_resume(&c, batches[i]);
            corpus_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_unknown_words),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_by_seed),
        cmocka_unit_test(test_stream_epochs),
        cmocka_unit_test(test_stream_held_out),
        cmocka_unit_test(test_epochs_of_lines),
        cmocka_unit_test(test_stream_order),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_no_such_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
