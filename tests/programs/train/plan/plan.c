/* plan.c: how long a run is, and what is chosen to suit a text. */
#include <limits.h>

#include "programs/train/plan/plan.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"
#include "tests/helpers/tiny.h"
#include "text/corpus/batches.h"
#include "text/tokenizer.h"

/* A run's options, and a text for it. */
typedef struct {
    Settings settings;
    Decided decided;
    Tokenizer tokenizer;
    Corpus corpus;
    Plan plan;
} Case;

static void give(Case *c, const char *name, int number)
{
    char *text = format_text("%d", number);
    tiny_set(&c->settings, &c->decided, name, text);
    free(text);
}

static Case begin_text(const char *text, bool stream)
{
    Case c = {0};
    fields_preset(SETTINGS, &c.settings);
    Text all = literal_text(text);
    c.tokenizer = literal_tokenizer(text, TOKENIZER_WORD, stream);
    c.corpus = corpus_new(&all, &c.tokenizer);
    text_free(&all);
    return c;
}

/* `count` tokens, by lines of ten or as a stream. */
static Case begin(size_t count, bool stream)
{
    char *text = malloc(2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = (char)('a' + i * i % 17);
        text[2 * i + 1] = i % 10 == 9 ? '\n' : ' ';
    }
    text[2 * count] = 0;
    const Case c = begin_text(text, stream);
    free(text);
    return c;
}

/* `count` pairs, or conversations, of two words and two words. */
static Case begin_answers(ObjectiveKind objective, size_t count)
{
    const char *pair = objective == OBJECTIVE_PAIRS ? "a b\tc d\n" : "A: a b\nB: c d\n\n";
    const size_t length = strlen(pair);
    char *string = calloc(1, count * length + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(string + i * length, pair, length);
    Case c = {0};
    fields_preset(SETTINGS, &c.settings);
    c.settings.objective = objective;
    Text text = literal_text(string);
    const TokenizerRules rules = {.kind = TOKENIZER_WORD, .objective = objective};
    c.tokenizer = tokenizer_train(&text, rules);
    c.corpus = corpus_new(&text, &c.tokenizer);
    text_free(&text);
    free(string);
    return c;
}

static const Settings *planned(Case *c)
{
    plan_model(&c->settings, &c->decided, &c->corpus);
    corpus_cut(&c->corpus, c->settings.shape.context, c->settings.val,
               (uint32_t)c->settings.val_seed);
    c->plan = plan_training(&c->settings, &c->decided, &c->corpus, c->tokenizer.vocabulary.count);
    return &c->plan.settings;
}

static void end(Case *c)
{
    plan_free(&c->plan);
    corpus_free(&c->corpus);
    tokenizer_free(&c->tokenizer);
}

/* ---- Epochs and steps ---- */

static int64_t counted_steps(const Case *c, int epochs)
{
    const size_t batch = (size_t)c->plan.settings.batch;
    int64_t steps = 0;
    for (int e = 0; e < epochs; e++)
        steps += (int64_t)((epoch_pieces(&c->corpus, 1, e) + batch - 1) / batch);
    return steps;
}

/* Lines: exactly the steps of the epochs; a stream: as many as its epochs can need. */
TEST(an_epoch_has_the_steps_that_its_pieces_need)
{
    for (int stream = 0; stream < 2; stream++)
        for (int context = 1; context < 70; context += context < 12 ? 1 : 13)
            for (int batch = 1; batch < 12; batch++)
                for (int epochs = 1; epochs < 200; epochs = 3 * epochs + 1) {
                    Case c = begin(60, stream);
                    give(&c, "context", context);
                    give(&c, "batch", batch);
                    give(&c, "epochs", epochs);
                    const int steps = planned(&c)->steps;
                    const int64_t needed = counted_steps(&c, epochs);
                    assert_true(steps >= needed);
                    assert_true(steps <= needed + (stream ? epochs : 0));
                    end(&c);
                }
}

TEST(a_run_has_at_most_as_many_steps_as_an_int_holds)
{
    Case c = begin(33, true);
    give(&c, "context", 8);
    give(&c, "batch", 1);
    give(&c, "epochs", INT_MAX);
    assert_int_equal(planned(&c)->steps, INT_MAX);
    end(&c);
}

/* ---- Starting from another model ---- */

TEST(starting_from_a_model_takes_a_tenth_of_the_rate)
{
    for (int schedule = 0; schedule < 2; schedule++) {
        Case new = begin(300, false), from = begin(300, false);
        new.settings.schedule = from.settings.schedule = schedule ? SCHEDULE_COSINE : SCHEDULE_NOAM;
        from.settings.from = "model";
        give(&from, "epochs", 10);
        planned(&new), planned(&from);
        assert_false(new.plan.gentle);
        assert_true(from.plan.gentle);
        const Settings *a = &new.plan.settings, *b = &from.plan.settings;
        if (schedule)
            assert_close_one("rate", b->lr, a->lr / 10, 1e-12);
        else
            assert_close_one("rate", b->lr_factor, a->lr_factor / 10, 1e-12);
        assert_int_equal(b->warmup, 30);
        end(&new), end(&from);
    }
}

TEST(a_rate_that_is_given_is_taken_as_it_is)
{
    Case c = begin(300, false);
    c.settings.from = "model";
    give(&c, "epochs", 10);
    tiny_set(&c.settings, &c.decided, "lr-factor", "0.3");
    assert_close_one("factor", planned(&c)->lr_factor, 0.3, 0);
    assert_int_equal(c.plan.settings.warmup, 1);
    assert_false(c.plan.gentle);
    end(&c);
}

/* ---- What suits a text ---- */

TEST(a_model_grows_with_its_text)
{
    static const struct {
        size_t tokens;
        int layers, heads, width, context;
    } cases[] = {{60000, 2, 4, 64, 64}, {60001, 4, 4, 128, 64}, {3000001, 4, 4, 256, 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case c = begin(cases[i].tokens, true);
        const Settings *s = planned(&c);
        assert_int_equal(s->shape.layers, cases[i].layers);
        assert_int_equal(s->shape.heads, cases[i].heads);
        assert_int_equal(s->shape.width, cases[i].width);
        assert_int_equal(s->shape.context, cases[i].context);
        end(&c);
    }
}

/* What a text is, and what is chosen for it. Its count is one of tokens, or of pairs. A step of
 * masked tokens predicts only what it masks, so they take more epochs. Muon is for lines and pairs
 * of which some are held out, and for streams with large steps. */
typedef struct {
    int objective;
    size_t count;
    bool stream, chars, deep;
    int given; /* the size of a step */
    double val;
    int layers, batch, epochs, eval_every, optimizer;
} Length;

static void assert_length(const Length *wanted)
{
    const bool pairs = wanted->objective == OBJECTIVE_PAIRS;
    Case c = objective_answers(wanted->objective) ? begin_answers(wanted->objective, wanted->count)
                                                  : begin(wanted->count, wanted->stream);
    c.settings.objective = c.corpus.objective.kind = wanted->objective;
    c.settings.tokens = wanted->chars ? TOKENIZER_CHAR : TOKENIZER_WORD;
    if (wanted->deep) {
        c.settings.shape.norm = NORM_POST;
        give(&c, "layers", 4);
    }
    if (wanted->given)
        give(&c, "batch", wanted->given);
    const Settings *s = planned(&c);
    assert_int_equal(s->shape.positions, pairs ? POSITIONS_LEARNED : POSITIONS_SINUSOIDAL);
    assert_close_one("val", s->val, wanted->val, 0);
    assert_int_equal(s->shape.layers, wanted->layers);
    assert_int_equal(s->batch, wanted->batch);
    assert_int_equal(s->epochs, wanted->epochs);
    assert_int_equal(s->eval_every, wanted->eval_every);
    assert_int_equal(s->optimizer, wanted->optimizer);
    if (objective_answers(s->objective))
        assert_close_one("dropout", s->dropout, 0, 0);
    end(&c);
}

TEST(the_length_of_a_run_suits_its_text)
{
    enum {
        NEXT = OBJECTIVE_NEXT,
        PAIRS = OBJECTIVE_PAIRS,
        MASKED = OBJECTIVE_MASKED,
        TURNS = OBJECTIVE_TURNS
    };
    enum { ADAMW = OPTIMIZER_ADAMW, MUON = OPTIMIZER_MUON, CHOSEN = 0 };
    static const Length cases[] = {
        {NEXT, 300, 0, 0, 0, CHOSEN, 0, 2, 30, 300, 15, ADAMW}, /* whole in a step: 30 lines */
        {NEXT, 300, 1, 1, 0, CHOSEN, 0, 2, 6, 200, 20, ADAMW},  /* five pieces of 64, or six */
        {NEXT, 300, 0, 0, 1, CHOSEN, 0, 4, 30, 500, 25, ADAMW},
        {NEXT, 1990, 0, 0, 0, CHOSEN, 0, 2, 9, 15, 46, ADAMW}, /* too few to hold some out */
        {NEXT, 2000, 0, 0, 0, CHOSEN, 0.1, 2, 9, 30, 30, MUON},
        {NEXT, 30000, 0, 0, 0, CHOSEN, 0.1, 2, 32, 20, 122, MUON},
        {NEXT, 4999, 1, 0, 0, CHOSEN, 0, 2, 16, 30, 20, MUON},
        {NEXT, 5000, 1, 0, 0, CHOSEN, 0.1, 2, 16, 30, 14, MUON},
        {NEXT, 200000, 1, 0, 0, CHOSEN, 0.1, 4, 16, 17, 298, MUON},
        {NEXT, 36000, 1, 0, 0, 8, 0.1, 2, 8, 30, 192, MUON}, /* 64 wide, pieces of 64 */
        {NEXT, 36000, 1, 0, 0, 7, 0.1, 2, 7, 27, 210, ADAMW},
        {MASKED, 300, 0, 0, 0, CHOSEN, 0, 2, 30, 16 * 300, 240, ADAMW},
        {MASKED, 30000, 0, 0, 0, CHOSEN, 0.1, 2, 32, 8 * 10, 1228, ADAMW},
        {MASKED, 4999, 1, 0, 0, CHOSEN, 0, 2, 16, 4 * 15, 639, MUON},
        {TURNS, 1000, 0, 0, 0, CHOSEN, 0.1, 2, 32, 30, 43, MUON},
        {PAIRS, 100, 0, 0, 0, CHOSEN, 0, 2, 100, 300, 15, ADAMW}, /* whole in a step */
        {PAIRS, 1000, 0, 0, 0, CHOSEN, 0.1, 2, 32, 60, 87, MUON},
        {PAIRS, 10000, 0, 0, 0, CHOSEN, 0.1, 2, 32, 24, 408, MUON},
        {PAIRS, 20000, 0, 0, 0, CHOSEN, 0.1, 4, 32, 12, 816, MUON},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_length(&cases[i]);
}

/* The longest line, up to a limit; pairs are never cut. */
TEST(a_context_holds_the_longest_line)
{
    char text[2 * 300 + 1];
    for (int i = 0; i < 300; i++)
        memcpy(text + 2 * i, i < 299 ? "a " : "a\n", 3);
    for (int pairs = 0; pairs < 2; pairs++) {
        Case c = begin_text(text, false);
        c.corpus.objective.kind = pairs ? OBJECTIVE_PAIRS : OBJECTIVE_NEXT;
        plan_model(&c.settings, &c.decided, &c.corpus);
        assert_int_equal(c.settings.shape.context, pairs ? 304 : 256);
        end(&c);
    }
}

TEST(heads_and_warm_up_suit_the_options)
{
    Case c = begin(300, false);
    give(&c, "width", 66);
    give(&c, "steps", 100000);
    assert_int_equal(planned(&c)->shape.heads, 1); /* which four do not divide */
    assert_int_equal(c.plan.settings.warmup, 4000);
    assert_int_equal(c.plan.settings.shards, 1);
    end(&c);
}

/* The longest line may be held out, and all others be shorter together. */
TEST(every_piece_fits_into_a_part_of_a_step)
{
    int longer = 0;
    for (int seed = 1; seed <= 8; seed++) {
        Case c = begin_text("a\nb c d e f g h i j\n", false);
        give(&c, "val-seed", seed);
        tiny_set(&c.settings, &c.decided, "val", "0.5");
        planned(&c);
        assert_int_equal(c.corpus.held_out.count, 1);
        assert_true(c.plan.rows >= (int)c.corpus.held_out.list[0].length);
        longer += c.corpus.held_out.list[0].length > c.corpus.train.targets;
        end(&c);
    }
    assert_in_range(longer, 1, 7);
}

/* A step of 16 lines of up to 4 tokens, in shards and their parts: the largest part counts. Each
 * level of the tree of shards takes memory. */
TEST(shards_make_parts_smaller)
{
    static const int cuts[][3] = {{1, 1, 64}, {2, 1, 32}, {1, 3, 24}, {4, 3, 8}, {64, 1, 4}};
    double bytes[2];
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        Case c =
            begin_text("a b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\n"
                       "a b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\na b c\n",
                       false);
        give(&c, "batch", 16);
        give(&c, "shards", cuts[i][0]);
        give(&c, "accumulate", cuts[i][1]);
        planned(&c);
        assert_int_equal(c.plan.rows, cuts[i][2]);
        const double model = gpt_bytes(&c.plan.shape, c.plan.rows);
        bytes[0] = i ? bytes[0] : c.plan.bytes - model;
        bytes[1] = c.plan.bytes - model - bytes[0];
        assert_true((bytes[1] > 0) == (cuts[i][0] > 1));
        end(&c);
    }
}

TEST(what_could_be_learned_by_heart_is_restrained)
{
    enum { WORD = TOKENIZER_WORD, CHAR = TOKENIZER_CHAR, BPE = TOKENIZER_BPE };
    static const struct {
        size_t count;
        bool stream;
        int tokens, epochs; /* 0: chosen */
        ObjectiveKind objective;
        const char *from;
        double dropout, decay;
        bool average;
    } cases[] = {
        {1000, false, WORD, 0, OBJECTIVE_NEXT, NULL, 0, 0.01, false}, /* whole in a step */
        {1990, false, WORD, 0, OBJECTIVE_NEXT, NULL, 0, 0.01, false}, /* nothing is held out */
        {4000, true, WORD, 0, OBJECTIVE_NEXT, NULL, 0, 2, true},      /* likewise */
        {40000, false, WORD, 0, OBJECTIVE_NEXT, NULL, 0.1, 2, true},
        {40000, false, WORD, 4, OBJECTIVE_NEXT, NULL, 0.1, 0.1, false},
        {40000, false, WORD, 5, OBJECTIVE_NEXT, NULL, 0.1, 2, true},
        {40000, false, WORD, 0, OBJECTIVE_NEXT, "model", 0.1, 0.01, false},
        {40000, false, WORD, 0, OBJECTIVE_MASKED, NULL, 0.1, 0.5, true},
        {36000, true, CHAR, 0, OBJECTIVE_NEXT, NULL, 0, 1, true},
        {36000, true, BPE, 0, OBJECTIVE_NEXT, NULL, 0, 1, true},
        {61000, true, CHAR, 0, OBJECTIVE_NEXT, NULL, 0.1, 0.5, true}, /* 4 layers of width 128 */
        {190000, true, BPE, 0, OBJECTIVE_NEXT, NULL, 0.2, 0.5, true},
        {200000, true, BPE, 0, OBJECTIVE_NEXT, NULL, 0, 0.5, true}, /* 4 tokens a weight */
        {36000, true, BPE, 4, OBJECTIVE_NEXT, NULL, 0, 0.1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Case c = begin(cases[i].count, cases[i].stream);
        c.settings.tokens = cases[i].tokens;
        c.settings.objective = cases[i].objective;
        c.settings.from = (char *)cases[i].from;
        if (cases[i].epochs)
            give(&c, "epochs", cases[i].epochs);
        const Settings *s = planned(&c);
        assert_close_one("dropout", s->dropout, cases[i].dropout, 0);
        assert_close_one("decay", s->decay, cases[i].decay, 0);
        assert_int_equal(s->average, cases[i].average);
        const bool rare =
            cases[i].tokens != TOKENIZER_CHAR && cases[i].objective != OBJECTIVE_MASKED;
        const double chosen = 0.008 * c.tokenizer.vocabulary.count / (double)c.corpus.ids.count;
        assert_close_one("epsilon", s->epsilon, cases[i].average && rare ? chosen : 1e-9, 0);
        end(&c);
    }
}

/* A step of the model that these tokens get has 3 products for each of 3,150,080 weights in each of
 * about 2,048 rows; an hour has 1.5e14. */
TEST(a_run_takes_at_most_an_hour_unless_it_is_asked_for_more)
{
    Case c = begin(9000000, true);
    assert_int_equal(planned(&c)->steps, 7757);
    assert_true(c.plan.shortened);
    assert_int_equal(c.plan.settings.epochs, 2);
    end(&c);
    c = begin(9000000, true);
    give(&c, "epochs", 2);
    assert_in_range(planned(&c)->steps, 7800, 8000);
    assert_false(c.plan.shortened);
    end(&c);
}

/* ---- How the text is read ---- */

/* A text and an option, if one is given, decide about tokens, sequences and objective. */
/* How a text that looks so is read, if one option is given. */
typedef struct {
    TextLook look;
    size_t given;
    int tokens, sequence;
} Reading;

static void assert_reading(const Reading *wanted)
{
    const TextLook *look = &wanted->look;
    Settings s = {.sequence = SEQUENCE_LINES};
    Decided decided = {{0}};
    if (wanted->given != FIELD_NONE)
        decided.at[wanted->given] = true;
    plan_text(&s, &decided, look);
    assert_int_equal(s.tokens, wanted->tokens);
    assert_int_equal(s.sequence, wanted->sequence);
    assert_int_equal(s.objective, look->pairs   ? OBJECTIVE_PAIRS
                                  : look->turns ? OBJECTIVE_TURNS
                                                : OBJECTIVE_NEXT);
    /* Before the tokens are counted, a part of enough of them is held out. */
    const bool part = s.tokens == TOKENIZER_BPE && s.sequence == SEQUENCE_STREAM;
    assert_close_one("val", s.val, part && look->size >= 20000 ? 0.1 : 0, 0);
}

TEST(a_text_is_read_as_it_suits)
{
    enum {
        MIN = offsetof(Settings, min_count),
        MAX = offsetof(Settings, max_words),
        SIZE = offsetof(Settings, vocabulary),
        SEQUENCE = offsetof(Settings, sequence), /* lines */
        WORD = TOKENIZER_WORD,
        CHAR = TOKENIZER_CHAR,
        BPE = TOKENIZER_BPE,
        LINES = SEQUENCE_LINES,
        STREAM = SEQUENCE_STREAM
    };
    static const Reading cases[] = {
        /* A large text is read as subwords. */
        {{.size = 99999}, FIELD_NONE, WORD, LINES},
        {{.size = 100000}, FIELD_NONE, BPE, STREAM},
        {{.size = 100000}, MIN, WORD, LINES},
        {{.size = 100000}, MAX, WORD, LINES},
        {{.size = 100000}, SEQUENCE, BPE, LINES},
        {{.size = 19999}, SIZE, BPE, STREAM},
        {{.size = 20000}, SIZE, BPE, STREAM},
        /* Wrapped words are read as a stream, blocks of lines as one of characters or subwords. */
        {{.size = 1000, .wrapped = true}, FIELD_NONE, WORD, STREAM},
        {{.size = 1000, .wrapped = true}, SEQUENCE, WORD, LINES},
        {{.size = 50000, .blocks = true}, FIELD_NONE, CHAR, STREAM},
        {{.size = 60000, .blocks = true}, FIELD_NONE, CHAR, STREAM},
        {{.size = 60001, .blocks = true}, FIELD_NONE, BPE, STREAM},
        {{.size = 50000, .blocks = true}, SIZE, BPE, STREAM},
        {{.size = 50000, .blocks = true}, MAX, WORD, LINES},
        {{.size = 50000, .blocks = true}, SEQUENCE, WORD, LINES},
        {{.size = 50000, .blocks = true, .wrapped = true}, FIELD_NONE, WORD, STREAM},
        /* Pairs of single words are read as characters. */
        {{.size = 1000, .pairs = true, .few_spaces = true}, FIELD_NONE, CHAR, LINES},
        {{.size = 1000000, .pairs = true, .few_spaces = true}, FIELD_NONE, CHAR, LINES},
        {{.size = 1000, .pairs = true}, FIELD_NONE, WORD, LINES},
        /* Conversations are blocks, and yet read as words, each by itself. */
        {{.size = 1000, .turns = true, .blocks = true}, FIELD_NONE, WORD, LINES},
        {{.size = 100000, .turns = true, .blocks = true}, FIELD_NONE, BPE, LINES},
        {{.size = 1000, .few_spaces = true}, FIELD_NONE, WORD, LINES},
        {{.size = 1000, .pairs = true, .few_spaces = true}, MIN, WORD, LINES},
        {{.size = 1000, .pairs = true, .few_spaces = true}, SIZE, BPE, LINES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_reading(&cases[i]);
}

TEST(a_vocabulary_of_subwords_grows_with_its_text)
{
    static const struct {
        TokenizerKind tokens;
        SequenceChoice sequence;
        int asked;
        size_t size;
        int wanted;
    } cases[] = {
        {TOKENIZER_WORD, SEQUENCE_LINES, 0, 10000, 0},
        {TOKENIZER_CHAR, SEQUENCE_STREAM, 0, 10000, 0},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 0, 0, 256},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 0, 10000, 556},
        {TOKENIZER_BPE, SEQUENCE_LINES, 0, 10000, 558},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 0, 1000000, 3256},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 0, (size_t)1 << 40, 16384},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 300, 10000, 300},
        {TOKENIZER_BPE, SEQUENCE_LINES, 258, 10000, 258},
        {TOKENIZER_BPE, SEQUENCE_STREAM, 100000, 10000, 100000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Settings s = {
            .tokens = cases[i].tokens, .sequence = cases[i].sequence, .vocabulary = cases[i].asked};
        plan_vocabulary(&s, cases[i].size);
        assert_int_equal(s.vocabulary, cases[i].wanted);
    }
}
