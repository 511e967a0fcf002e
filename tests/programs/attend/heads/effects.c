/* effects.c (test): an induction head that is built by hand, and losses without a head. */
#include "model/gpt.h"
#include "programs/attend/heads/heads.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/close.h"
#include "tests/helpers/literal.h"

static const char WORDS[] = "a b c d e f g h i j k";
enum { V = 13, T = 17, C = V + T + V, D = T, HALF = 8 };

/* Where a one stands for a token, for a position, and for the token before. */
enum { TOKEN = 0, POSITION = V, PREVIOUS = V + T };

static Gpt model_new(void)
{
    return gpt_new(&(GptConfig){SIZES(T, 2, 1, D, C, 1, V), .positions = POSITIONS_LEARNED}, T);
}

/* Number `number` of the queries (part 0), keys (1) or values (2) is large if x has a one here. */
static void read_one(const Gpt *gpt, int layer, int part, int number, int here)
{
    const Linear qkv = gpt->weights.block[layer].attention.qkv;
    ROW(qkv.weight, here, qkv.out)[part * D + number] = 4;
}

/* Attention only. The head of layer 1 looks at the position before and adds the token that stands
 * there; the head of layer 2 looks for a token after its own. The layer norms leave each row one
 * large number for each one, and the same small number elsewhere. */
static Gpt model_by_hand(void)
{
    Gpt gpt = model_new();
    for (int i = 0; i < gpt.tensor_count; i++)
        for (int c = 0; c < gpt.tensors[i].cols && gpt.tensors[i].kind == TENSOR_GAIN; c++)
            gpt.weight_block[gpt.tensors[i].offset + (size_t)c] = 1;
    for (int t = 0; t < T; t++) {
        ROW(gpt.weights.embedding.wpe, t, C)[POSITION + t] = 1;
        read_one(&gpt, 0, 1, t, POSITION + t);
        if (t)
            read_one(&gpt, 0, 0, t - 1, POSITION + t);
    }
    for (int v = 0; v < V; v++) {
        ROW(gpt.weights.embedding.wte, v, C)[TOKEN + v] = 1;
        read_one(&gpt, 0, 2, v, TOKEN + v);
        ROW(gpt.weights.block[0].attention.out.weight, v, C)[PREVIOUS + v] = (Real)0.05;
        read_one(&gpt, 1, 0, v, TOKEN + v);
        read_one(&gpt, 1, 1, v, PREVIOUS + v);
    }
    return gpt;
}

static const Objective NEXT = {.kind = OBJECTIVE_NEXT, .bos = 0, .eos = 1, .vocabulary = V};
static const int IDS[] = {0, 7, 5};

TEST(an_induction_head_built_by_hand_has_the_score_1)
{
    Tokenizer words = literal_tokenizer(WORDS, TOKENIZER_WORD, false);
    Gpt gpt = model_by_hand();
    assert_int_equal(tokenizer_size(&words), V);
    Effects with = effects_read(&gpt, &words, &NEXT, IDS, 3);
    assert_int_equal(with.twice, HALF);
    assert_close_one("the previous token, layer 1", with.before[0], 1, 1e-5);
    assert_close_one("induction, layer 1", with.induction[0], 0, 1e-5);
    assert_close_one("induction, layer 2", with.induction[1], 1, 1e-5);
    assert_true(with.before[1] < 0.2);

    /* Without the first head the second has nothing to look for. */
    ablate(&gpt, 0, 0);
    Effects without = effects_read(&gpt, &words, &NEXT, IDS, 3);
    assert_true(without.induction[1] < 0.2);
    effects_free(&with);
    effects_free(&without);
    gpt_free(&gpt);
    tokenizer_free(&words);
}

TEST(a_short_context_and_a_short_text_have_no_scores)
{
    Tokenizer words = literal_tokenizer(WORDS, TOKENIZER_WORD, false);
    const GptConfig config = {SIZES(4, 1, 1, 2, 2, 1, V)};
    Gpt gpt = gpt_new(&config, 4);
    Effects effects = effects_read(&gpt, &words, &NEXT, IDS, 1);
    assert_int_equal(effects.twice, 0);
    assert_int_equal(effects.count, 0);
    effects_free(&effects);
    gpt_free(&gpt);
    tokenizer_free(&words);
}

/* Each objective: the loss without each head and layer, which are there again in the end. */
TEST(a_rise_is_the_loss_without_minus_the_loss_with)
{
    enum { SEP = 2, MASK = 3, COUNT = 9 };
    static const int ids[COUNT] = {0, 7, 5, SEP, 9, MASK, 12, 4, 1};
    static const int predicted[] = {
        [OBJECTIVE_NEXT] = 8, [OBJECTIVE_PAIRS] = 5, [OBJECTIVE_MASKED] = 6};
    Tokenizer words = literal_tokenizer(WORDS, TOKENIZER_WORD, false);
    Gpt gpt = model_new(), other = model_new();
    for (ObjectiveKind kind = OBJECTIVE_NEXT; kind <= OBJECTIVE_MASKED; kind++) {
        const Objective objective = {
            .kind = kind, .bos = 0, .eos = 1, .sep = SEP, .mask = MASK, .vocabulary = V};
        gpt_init(&gpt, 1);
        Effects effects = effects_read(&gpt, &words, &objective, ids, COUNT);
        assert_int_equal(effects.count, predicted[kind]);
        assert_int_equal(effects.twice, kind == OBJECTIVE_NEXT ? HALF : 0);
        gpt_init(&other, 1);
        assert_memory_equal(gpt.weight_block, other.weight_block, gpt.size * sizeof(Real));
        for (int i = 0, count; i < 4; i++) {
            gpt_init(&other, 1);
            ablate(&other, i / 2, i % 2);
            const double without = effects_loss(&other, &objective, ids, COUNT, &count) / count;
            assert_close_one("a rise", effects.rise[i], without - effects.loss, 1e-12);
            assert_true(effects.rise[i] != 0);
        }
        effects_free(&effects);
    }
    gpt_free(&gpt);
    gpt_free(&other);
    tokenizer_free(&words);
}
