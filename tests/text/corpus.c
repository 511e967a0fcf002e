/* corpus.c: the tokens of a text, by lines or as a stream, the pieces that they are cut into, and
 * the bytes that they stand for. */
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "tests/helpers/corpora.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/test.h"
#include "text/corpus/corpus.h"
#include "text/encoder.h"
#include "text/tokenizer.h"

/* ---- Tokens ---- */

static void assert_tokens(const Corpus *c, const int *tokens, size_t count)
{
    assert_int_equal(c->ids.count, count);
    AUTOFREE int *own = corpus_tokens(c);
    assert_ints(own, tokens, count);
}

/* Each line that is not blank is a sequence. Lines of white space do not count; the last line needs
 * no line end. A stream has no lines. */
TEST(a_text_becomes_tokens)
{
    static const struct {
        const char *text;
        bool stream, characters;
        size_t lines, longest, count;
        int tokens[12];
    } cases[] = {
        {"a b\n\n \t\r \n\u3000\nb\n\nc, a",
         false,
         false,
         3,
         4,
         12,
         {0, 2, 3, 1, 0, 3, 1, 0, 4, 5, 2, 1}},
        {"ab a\n \nb", false, true, 2, 5, 9, {0, 2, 3, 4, 2, 1, 0, 3, 1}},
        {"a b\n\na c\n", true, false, 0, 3, 4, {0, 1, 0, 2}},
        {"a\n\na b", true, true, 0, 5, 6, {0, 1, 1, 0, 2, 3}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        FREED_BY(corpus_free)
        Corpus c = corpus_of_string(cases[i].text, cases[i].stream, cases[i].characters);
        assert_tokens(&c, cases[i].tokens, cases[i].count);
        assert_int_equal(c.lines, cases[i].lines);
        assert_int_equal(c.longest, cases[i].longest);
        assert_int_equal(c.stream, cases[i].stream);
    }
}

TEST(words_that_are_not_kept_become_unk)
{
    FREED_BY(text_free) Text text = literal_text("a b a\nc a b\n");
    TOKENIZER t = tokenizer_train(&text, (TokenizerRules){.min_count = 2});
    FREED_BY(corpus_free) Corpus c = corpus_new(&text, &t);
    assert_tokens(&c, (const int[]){0, 3, 4, 3, 1, 0, 2, 3, 4, 1}, 10);
}

TEST(texts_without_tokens_are_refused)
{
    ASSERT_DIES(corpus_of_string("", false, false), "a.txt", "is empty");
    ASSERT_DIES(corpus_of_string("\n \t\n\u3000", false, false), "a.txt", "white space");
    ASSERT_DIES(corpus_of_string("\n\n", true, false), "a.txt", "white space");
    ASSERT_DIES(corpus_of_string("word\n", true, false), "a.txt", "one token", "--sequence lines");
}

/* ---- Pieces of lines ---- */

static void assert_pieces(const Part *part, const Piece *wanted, size_t count)
{
    assert_int_equal(part->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(part->list[i].from, wanted[i].from);
        assert_int_equal(part->list[i].length, wanted[i].length);
    }
}
#define ASSERT_PIECES(part, ...) \
    assert_pieces(part, (const Piece[]){__VA_ARGS__}, COUNT_OF(((const Piece[]){__VA_ARGS__})))

TEST(long_lines_are_cut_into_pieces)
{
    FREED_BY(corpus_free) Corpus c = corpus_of_string("a b c d e f g\nh i\nj\n", false, false);
    assert_int_equal(c.longest, 8);
    corpus_cut(&c, 3, 0, 1);
    ASSERT_PIECES(&c.train, {0, 3}, {3, 3}, {6, 2}, {9, 3}, {13, 2}); /* of 8, 3 and 2 inputs */
    assert_int_equal(c.lines_cut, 1);
    assert_int_equal(c.train.targets, 13);
    assert_int_equal(c.held_out.targets, 0);
    assert_int_equal(c.held_out.count, 0);
}

/* By the definition: a line is cut after each `context` inputs, and all its pieces are in one part.
 * Returns how many lines are held out. */
static int check_pieces(const Corpus *c)
{
    AUTOFREE size_t *lines = corpus_lines(c), *lengths = calloc(c->ids.count, sizeof *lengths);
    AUTOFREE int *side = calloc(c->ids.count, sizeof *side);
    const Part *const parts[] = {&c->train, &c->held_out};
    const size_t context = (size_t)c->context;
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < parts[p]->count; i++) {
            const Piece piece = parts[p]->list[i];
            assert_int_equal(lengths[piece.from], 0);
            lengths[piece.from] = piece.length;
            side[piece.from] = p;
        }
    int held_out = 0;
    size_t targets[2] = {0, 0}, pieces = 0, cut = 0;
    for (size_t line = 0; line < c->lines; line++) {
        const size_t begin = lines[line], end = lines[line + 1] - 1; /* [eos] is only predicted */
        for (size_t from = begin; from < end; from += context, pieces++) {
            const Piece piece = {from, (uint32_t)lengths[from]};
            assert_int_equal(lengths[from], end - from < context ? end - from : context);
            assert_int_equal(side[from], side[begin]);
            assert_int_equal(corpus_ends_line(c, piece), end - from <= context);
        }
        held_out += side[begin];
        targets[side[begin]] += end - begin;
        cut += end - begin > context;
    }
    assert_int_equal(pieces, c->train.count + c->held_out.count);
    assert_int_equal(c->train.targets, targets[0]);
    assert_int_equal(c->held_out.targets, targets[1]);
    assert_int_equal(c->lines_cut, cut);
    return held_out;
}

TEST(every_target_is_in_one_piece)
{
    static const double shares[] = {0, 0.01, 0.1, 0.25, 0.5, 0.9};
    static const int contexts[] = {1, 2, 3, 7, 12, 100};
    for (int lines = 1; lines <= 25; lines++)
        for (size_t s = 0; s < 6; s++) {
            FREED_BY(corpus_free) Corpus c = corpus_made_up(lines, 11, false);
            corpus_cut(&c, contexts[(size_t)lines % 6], shares[s], 5);
            const long wanted = lround(shares[s] * lines);
            assert_int_equal(check_pieces(&c), wanted < lines ? wanted : lines - 1);
        }
}

TEST(the_seed_draws_the_lines_held_out)
{
    enum { LINES = 20, SEEDS = 200 };
    FREED_BY(corpus_free) Corpus first = corpus_made_up(LINES, 9, false);
    corpus_cut(&first, 4, 0.2, 1);
    AUTOFREE size_t *lines = corpus_lines(&first);
    int drawn[LINES] = {0}, differ = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        FREED_BY(corpus_free) Corpus c = corpus_made_up(LINES, 9, false);
        FREED_BY(corpus_free) Corpus same = corpus_made_up(LINES, 9, false);
        corpus_cut(&c, 4, 0.2, seed);
        corpus_cut(&same, 4, 0.2, seed);
        assert_int_equal(c.held_out.count, same.held_out.count);
        for (size_t i = 0; i < c.held_out.count; i++) {
            const size_t from = c.held_out.list[i].from;
            assert_int_equal(from, same.held_out.list[i].from);
            for (int line = 0; line < LINES; line++)
                drawn[line] += from == lines[line];
        }
        differ += c.held_out.count != first.held_out.count ||
                  c.held_out.list[0].from != first.held_out.list[0].from;
    }
    assert_true(differ > SEEDS / 2);
    /* 40 times each is expected; five standard deviations are 28. */
    for (int line = 0; line < LINES; line++)
        assert_in_range(drawn[line], 40 - 28, 40 + 28);
}

TEST(the_tail_of_a_stream_is_held_out)
{
    for (int lines = 2; lines < 12; lines++)
        for (int tenths = 0; tenths < 10; tenths++) {
            FREED_BY(corpus_free) Corpus c = corpus_made_up(lines, 6, true);
            const size_t count = c.ids.count;
            const size_t tail = (size_t)lround(tenths / 10.0 * (double)count);
            corpus_cut(&c, 4, tenths / 10.0, 1);
            const size_t end = tail >= 2 && count - tail >= 2 ? count - tail : count;
            assert_int_equal(c.train.end, end);
            assert_int_equal(c.train.targets, end - 1);
            assert_int_equal(c.held_out.targets, end < count ? count - end - 1 : 0);
            size_t next = end; /* they follow each other and read no token that is trained on */
            for (size_t p = 0; p < c.held_out.count; p++) {
                const Piece piece = corpus_piece(&c, &c.held_out, p);
                assert_int_equal(piece.from, next);
                assert_in_range(piece.length, 1, 4);
                next += piece.length;
            }
            assert_int_equal(next, end < count ? count - 1 : count);
        }
}

/* ---- Pairs and hidden tokens ---- */

/* Ids 3 a, 4 b, 5 c, 6 d. A pair is one piece, whose rows before [sep] do not count. One that is
 * longer than the context is named by its number among the pairs: blank lines are none. */
TEST(a_pair_is_a_piece)
{
    CORPUS(c, t, OBJECTIVE_PAIRS, TOKENIZER_WORD, false, "a b\tc\n\nd\ta b c\n");
    assert_tokens(&c, (const int[]){0, 3, 4, 2, 5, 1, 0, 6, 2, 3, 4, 5, 1}, 13);
    assert_int_equal(c.lines, 2);
    assert_int_equal(c.longest, 6);
    corpus_check_pairs(&c, 6, "a.txt"); /* they fit */
    ASSERT_DIES(corpus_check_pairs(&c, 5, "a.txt"),
                "a.txt: pair number 2 has 6 tokens, but the context is 5: shorten it, or train "
                "with --context 6");
    ASSERT_DIES(corpus_check_pairs(&c, 4, "a.txt"), "a.txt: pair number 1 has 5 tokens",
                "--context 6");
    corpus_cut(&c, 6, 0, 1);
    ASSERT_PIECES(&c.train, {0, 5}, {6, 6});
    assert_int_equal(c.train.rows, 11);
    assert_int_equal(c.train.targets, 2 + 4);
    assert_int_equal(c.lines_cut, 0);
    assert_int_equal(corpus_sample_targets(&c), SAMPLE_TARGETS);
    assert_true(corpus_evaluation_rows(&c, &c.train) == 11);
    int tokens[7];
    const Sequence s = corpus_sequence(&c, c.train.list[0], tokens);
    assert_true(s.rows == 5 && s.first == 3 && s.prefix == 4);
}

/* Ids 3 a, 4 b, 5 c, 6 d. A conversation is a line; if it is too long, pieces are whole exchanges,
 * and the second begins with the [eos] before it. */
TEST(answers_are_learned_after_what_was_said)
{
    CORPUS(c, t, OBJECTIVE_TURNS, TOKENIZER_WORD, false,
           "A: a b\nB: c\nA: d\nB: a a\nA: b\nB: d\n\nC: c\nB: b\n");
    assert_tokens(&c, (const int[]){0, 3, 4, 2, 5, 1, 6, 2, 3, 3, 1, 4, 2, 6, 1, 0, 5, 2, 4, 1},
                  20);
    assert_true(c.lines == 2 && c.longest == 14);
    corpus_check_pairs(&c, 5, "a.txt"); /* each exchange fits */
    ASSERT_DIES(
        corpus_check_pairs(&c, 4, "a.txt"),
        "a.txt: conversation number 1 has a turn and an answer of 5 tokens, but the context "
        "is 4: shorten them, or train with --context 14");
    corpus_cut(&c, 10, 0, 1);
    ASSERT_PIECES(&c.train, {0, 10}, {10, 4}, {15, 4});
    assert_true(c.train.rows == 18 && c.train.targets == 2 + 3 + 2 + 2 && c.lines_cut == 1);
    static const bool ends[] = {false, true, true};
    for (int i = 0; i < 3; i++)
        assert_int_equal(corpus_ends_line(&c, c.train.list[i]), ends[i]);
    static const int begins[] = {0, 3, 5, 7, 10, 12, 15, 17};
    for (size_t at = 0, next = 0; at < c.ids.count; at++) {
        const bool begin = next < COUNT_OF(begins) && at == (size_t)begins[next];
        assert_int_equal(corpus_begins_line(&c, at), begin);
        next += begin;
    }
    assert_true(isnan(corpus_bytes(&c, &t, &c.train)));
}

/* What counts are the bytes of the answers, and a line end for each. */
TEST(bytes_of_answers)
{
    CORPUS(c, t, OBJECTIVE_TURNS, TOKENIZER_CHAR, false, "A: ab\nB: ñ c\nA: d\nB: e\n");
    corpus_cut(&c, 100, 0, 1);
    assert_true(corpus_bytes(&c, &t, &c.train) == 4 + 1 + 1 + 1);
}

/* So many pairs of characters; the caller frees the text. */
static char *made_up_pairs(int count)
{
    char *text = malloc((size_t)count * 14 + 1), *put = text;
    for (int i = 0; i < count; i++)
        put += sprintf(put, "%.*s\t%.*s\n", 1 + i % 7, "abcdefg", 1 + i % 5, "hijkl");
    return text;
}

/* No token of a piece is only predicted: with a context of 3, [bos] a b, c d e, f g [eos]; and of
 * [bos] a b c d e [eos] the last piece would be only [eos], which is left out. */
TEST(lines_of_hidden_tokens_are_cut)
{
    CORPUS(c, t, OBJECTIVE_MASKED, TOKENIZER_WORD, false, "a b c d e f g\na b c d e\nh\n");
    assert_int_equal(c.longest, 9);
    corpus_cut(&c, 3, 0, 1);
    ASSERT_PIECES(&c.train, {0, 3}, {3, 3}, {6, 3}, {9, 3}, {12, 3}, {16, 3});
    assert_int_equal(c.train.rows, 18);
    assert_int_equal(c.train.targets, 7 + 5 + 1);
    assert_int_equal(c.lines_cut, 2);
    static const bool ends[] = {false, false, true, false, true, true};
    for (int i = 0; i < 6; i++)
        assert_int_equal(corpus_ends_line(&c, c.train.list[i]), ends[i]);
    assert_true(corpus_evaluation_rows(&c, &c.train) == 18 * 13 / 6.0);
    assert_int_equal(corpus_sample_targets(&c), SAMPLE_HIDDEN);
    c.train.rows = 100 * c.train.count; /* those of each hidden token */
    assert_int_equal(corpus_sample_targets(&c), (1 << 19) / 100);
    c.train.rows = 1000 * c.train.count;
    assert_int_equal(corpus_sample_targets(&c), SAMPLE_LEAST_HIDDEN);
}

TEST(a_piece_of_one_hidden_token_is_no_end)
{
    CORPUS(c, t, OBJECTIVE_MASKED, TOKENIZER_WORD, false, "a b\n");
    corpus_cut(&c, 1, 0, 1); /* neither [bos] nor [eos] */
    ASSERT_PIECES(&c.train, {1, 1}, {2, 1});
    assert_true(!corpus_ends_line(&c, c.train.list[0]) && corpus_ends_line(&c, c.train.list[1]));
}

/* Each of its tokens is a target, also the first one. */
TEST(a_stream_of_hidden_tokens)
{
    CORPUS(c, t, OBJECTIVE_MASKED, TOKENIZER_CHAR, true, "abcabcabca");
    assert_int_equal(c.longest, 10);
    corpus_cut(&c, 4, 0.3, 1);
    assert_true(c.train.count == 2 && c.train.rows == 7 && c.train.targets == 7);
    assert_true(c.held_out.count == 1 && c.held_out.rows == 3 && c.held_out.targets == 3);
    const Piece last = corpus_piece(&c, &c.train, 1), tail = corpus_piece(&c, &c.held_out, 0);
    assert_true(last.from == 4 && last.length == 3 && tail.from == 7 && tail.length == 3);
}

/* ---- Kept ---- */

enum { CONTEXT = 5 }; /* pairs must fit */

static Corpus open_kept(const char *folder, const Tokenizer *t, CorpusOrigin *origin)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    return corpus_open(&directory, "tokens.bin", t, CONTEXT, 5, origin);
}

/* Fails unless it dies, and names the file or what else is wrong. */
#define REFUSED(folder, t, what) \
    ASSERT_DIES(open_kept(folder, t, &(CorpusOrigin){0}), what, "--text FILE")

static CorpusOrigin origin_of(const Tokenizer *t)
{
    return (CorpusOrigin){7, tokenizer_checksum(t, 0), 5, 9};
}

/* Encodes a text into a file and keeps it. */
static Corpus keep(const char *folder, const char *string, const Tokenizer *t)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    FREED_BY(text_free) Text text = literal_text(string);
    CorpusBuilder *builder = corpus_begin(t, store_in_file(folder, "tokens.bin"), 0);
    corpus_add(builder, &text, 1);
    Corpus c = corpus_end(builder, "a.txt");
    corpus_cut(&c, CONTEXT, 0.25, 1);
    assert_int_equal(scratch_count(folder), 0); /* it has no name yet */
    assert_true(corpus_keep(&c, origin_of(t), &directory, "tokens.bin"));
    assert_int_equal(scratch_count(folder), 1);
    return c;
}

static void assert_parts(const Corpus *a, const Part *x, const Corpus *b, const Part *y)
{
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->targets, y->targets);
    for (size_t i = 0; i < x->count; i++) {
        const Piece p = corpus_piece(a, x, i), q = corpus_piece(b, y, i);
        assert_int_equal(p.from, q.from);
        assert_int_equal(p.length, q.length);
    }
}

static const char LINES[] = "a b c d e f g\nh i\nj\nk l m n o p q r s\na b\nc d\n";
static const char SHORT_PAIRS[] = "a\tb\nc\td\ne\tf\ng h\ti\n";

static Tokenizer tokenizer_for(ObjectiveKind objective, bool stream, const char *string)
{
    FREED_BY(text_free) Text text = literal_text(string);
    return tokenizer_train(&text, (TokenizerRules){.objective = objective, .stream = stream});
}

TEST(a_corpus_that_was_kept_is_the_same)
{
    static const struct {
        ObjectiveKind objective;
        bool stream;
        const char *string;
    } cases[] = {{OBJECTIVE_NEXT, false, LINES},
                 {OBJECTIVE_NEXT, true, LINES},
                 {OBJECTIVE_PAIRS, false, SHORT_PAIRS},
                 {OBJECTIVE_TURNS, false, "A: a b\nB: c\nA: d\nB: a\n\nA: b\nB: d\n"},
                 {OBJECTIVE_MASKED, false, LINES},
                 {OBJECTIVE_MASKED, true, LINES}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *string = cases[i].string;
        SCRATCH(folder);
        TOKENIZER t = tokenizer_for(cases[i].objective, cases[i].stream, string);
        FREED_BY(corpus_free) Corpus c = keep(folder, string, &t);
        CorpusOrigin read, origin = origin_of(&t);
        FREED_BY(corpus_free) Corpus again = open_kept(folder, &t, &read);
        assert_memory_equal(&read, &origin, sizeof read);
        assert_int_equal(again.ids.count, c.ids.count);
        assert_memory_equal(again.ids.at, c.ids.at, c.ids.count * 2);
        assert_int_equal(again.lines, c.lines);
        assert_int_equal(again.longest, c.longest);
        assert_int_equal(again.lines_cut, c.lines_cut);
        assert_int_equal(again.context, CONTEXT);
        assert_int_equal(again.objective.kind, c.objective.kind);
        assert_int_equal(again.objective.eos, c.objective.eos);
        assert_parts(&again, &again.train, &c, &c.train);
        assert_parts(&again, &again.held_out, &c, &c.held_out);
    }
}

static Bytes read_kept(const char *folder)
{
    FREED_BY(directory_close) Directory directory = directory_open(folder);
    return file_read_in(&directory, "tokens.bin", false);
}

/* Each byte of the file, changed or cut off. The same words for another objective are other
 * tokens. */
static void check_damage(ObjectiveKind objective, const char *string)
{
    SCRATCH(folder);
    TOKENIZER t = tokenizer_for(objective, false, string);
    TOKENIZER other = tokenizer_for(OBJECTIVE_NEXT, false, "a b d\n");
    TOKENIZER same_words = tokenizer_for(objective, false, string);
    same_words.objective = (objective + 1) % 3;
    FREED_BY(corpus_free) Corpus c = keep(folder, string, &t);
    REFUSED(folder, &other, "another tokenizer.json");
    REFUSED(folder, &same_words, "another tokenizer.json");
    AUTOFREE Bytes whole = read_kept(folder);
    for (size_t i = 0; i < whole.size; i += 3) {
        whole.bytes[i] ^= 1;
        free(scratch_write(folder, "tokens.bin", whole.bytes, whole.size));
        whole.bytes[i] ^= 1;
        REFUSED(folder, &t, "tokens.bin");
        free(scratch_write(folder, "tokens.bin", whole.bytes, i));
        REFUSED(folder, &t, "tokens.bin");
    }
}

TEST(a_damaged_file_is_refused)
{
    check_damage(OBJECTIVE_NEXT, "a b c\nb c\n");
    check_damage(OBJECTIVE_PAIRS, "a\tb c\nb\tc\n");
    check_damage(OBJECTIVE_MASKED, "a b c\nb c\n");
}

/* Numbers of the header, by their place in it. */
enum { WIDTH = 5, COUNT, LONGEST = 8, CONTEXT_CUT = 10, TRAIN, HELD_OUT, TRAIN_END, TRAIN_ROWS };
enum { HEADER = 19 }; /* their checksum */

/* Writes the file with another number in it, and the right checksum. */
static void check_forged(const char *folder, const Tokenizer *t, Bytes whole, int field,
                         uint64_t value)
{
    AUTOFREE char *bytes = memory_take(whole.size);
    memcpy(bytes, whole.bytes, whole.size);
    memcpy(bytes + field * (int)sizeof value, &value, sizeof value);
    const uint64_t header = checksum_of(bytes, HEADER * sizeof value);
    memcpy(bytes + HEADER * sizeof value, &header, sizeof header);
    free(scratch_write(folder, "tokens.bin", bytes, whole.size));
    REFUSED(folder, t, "tokens.bin is damaged");
}

/* Sizes by which memory is taken, or that lead out of the file. */
static void check_stranger(bool stream, const int *fields)
{
    SCRATCH(folder);
    TOKENIZER t = tokenizer_for(OBJECTIVE_NEXT, stream, LINES);
    FREED_BY(corpus_free) Corpus c = keep(folder, LINES, &t);
    AUTOFREE Bytes whole = read_kept(folder);
    for (; *fields; fields++) {
        check_forged(folder, &t, whole, *fields, 1);
        if (*fields != LONGEST) /* a longer one only takes more memory */
            check_forged(folder, &t, whole, *fields, UINT64_C(1) << 61);
    }
}

TEST(a_file_of_a_stranger_is_refused)
{
    check_stranger(true, (const int[]){WIDTH, COUNT, CONTEXT_CUT, TRAIN_END, 0});
    check_stranger(
        false, (const int[]){WIDTH, COUNT, LONGEST, CONTEXT_CUT, TRAIN, HELD_OUT, TRAIN_ROWS, 0});
}

/* ---- Samples ---- */

TEST(a_sample_is_drawn_by_the_seed)
{
    for (int stream = 0; stream < 2; stream++) {
        FREED_BY(corpus_free) Corpus c = corpus_made_up(400, 9, stream);
        corpus_cut(&c, 5, 0, 1);
        assert_false(c.evaluated.sample);
        FREED_BY(part_free) Part one = corpus_sample(&c, &c.train, 500, 1);
        FREED_BY(part_free) Part same = corpus_sample(&c, &c.train, 500, 1);
        FREED_BY(part_free) Part other = corpus_sample(&c, &c.train, 500, 2);
        FREED_BY(part_free) Part all = corpus_sample(&c, &c.train, c.train.targets, 1);
        assert_true(one.sample && !all.sample);
        assert_in_range(one.targets, 400, 600);
        assert_parts(&c, &one, &c, &same);
        assert_int_not_equal(memcmp(one.list, other.list, one.count * sizeof *one.list), 0);
        for (size_t i = 1; i < one.count; i++) /* no piece twice */
            assert_true(one.list[i].from > one.list[i - 1].from);
    }
}

/* Also for pairs and hidden tokens, the rows and targets are those of the pieces drawn. */
TEST(a_sample_of_pairs_and_of_hidden_tokens)
{
    AUTOFREE char *text = made_up_pairs(900);
    for (ObjectiveKind kind = OBJECTIVE_PAIRS; kind <= OBJECTIVE_MASKED; kind++) {
        CORPUS(c, t, kind, TOKENIZER_CHAR, false, text);
        corpus_cut(&c, 20, 0, 1);
        assert_false(c.evaluated.sample);
        FREED_BY(part_free) Part sample = corpus_sample(&c, &c.train, 500, 1);
        size_t rows = 0, targets = 0;
        int tokens[21];
        for (size_t i = 0; i < sample.count; i++) {
            const Sequence s = corpus_sequence(&c, sample.list[i], tokens);
            rows += (size_t)s.rows;
            targets += (size_t)objective_targets(&c.objective, &s);
        }
        assert_true(sample.sample && sample.rows == rows && sample.targets == targets);
        assert_in_range(targets, 450, 550);
    }
}

/* ---- Bytes ---- */

/* What is wanted of the whole text, and of its first and last piece with a context of T tokens; NAN
 * of what cannot be compared. */
static void check_bytes(const char *string, TokenizerRules rules, int T, double all, double first,
                        double last)
{
    FREED_BY(text_free) Text text = literal_text(string);
    TOKENIZER t = tokenizer_train(&text, rules);
    FREED_BY(corpus_free) Corpus c = corpus_new(&text, &t);
    corpus_cut(&c, T, 0, 1);
    AUTOFREE Piece *pieces = corpus_pieces(&c, &c.train);
    const Part parts[] = {
        c.train, {.count = 1, .list = pieces}, {.count = 1, .list = pieces + c.train.count - 1}};
    const double wanted[] = {all, first, last};
    for (int i = 0; i < 3; i++) {
        const double got = corpus_bytes(&c, &t, &parts[i]);
        if (!isnan(got) || !isnan(wanted[i]))
            assert_close_one("the bytes", got, wanted[i], 1e-12);
    }
}

TEST(bytes_are_those_of_the_text)
{
    for (TokenizerKind kind = TOKENIZER_CHAR; kind <= TOKENIZER_BPE; kind++) {
        /* Each line counts with its end, the last one too; blank lines are in no sequence. By hand:
         * 10 and 11 bytes with their ends. */
        TokenizerRules rules = {.kind = kind, .vocabulary = 262};
        check_bytes("el  perro\n\nl'été\tya", rules, 20, 21, 10, 11);
        /* For pairs, only the bytes of the targets and of their line ends count; white space of a
         * source does not. "the  dog" and its end are 9 bytes, "un" and its end 3. */
        rules.objective = OBJECTIVE_PAIRS;
        check_bytes("el   perro\tthe  dog\n\na\tun", rules, 30, 12, 9, 3);
    }
    /* The first token of a stream is not predicted, and a piece has half a context. */
    check_bytes("añb\nc", (TokenizerRules){.kind = TOKENIZER_CHAR, .stream = true}, 4, 5, 3, 2);
}

TEST(some_tokens_cannot_be_compared)
{
    /* A line with [unk], but the others can; x is [unk], but no target. */
    TokenizerRules rare = {.kind = TOKENIZER_CHAR, .min_count = 2};
    check_bytes("aa\nba", rare, 8, NAN, 3, NAN);
    rare.objective = OBJECTIVE_PAIRS;
    check_bytes("x\taa\na\tb", rare, 8, NAN, 3, NAN);
    for (int stream = 0; stream < 2; stream++) {
        /* The vocabulary of words is taken from the text, so none has to be spelled. */
        TokenizerRules rules = {.stream = stream};
        check_bytes("a bb  ccc\n", rules, 8, NAN, NAN, NAN);
        /* What is predicted with the help of what comes after it is no measure of a text. */
        rules.objective = OBJECTIVE_MASKED;
        check_bytes("a b c\n", rules, 8, NAN, NAN, NAN);
    }
}

/* Two bits, by hand: a probability of 1/4 for a token of one byte. */
TEST(bits_per_byte)
{
    assert_close_one("bits", bits_per_byte(-log(0.25), 1), 2, 1e-15);
    assert_close_one("bits", bits_per_byte(-3 * log(0.5), 12), 0.25, 1e-15);
    assert_true(isnan(bits_per_byte(1, (double)NAN)));
}
