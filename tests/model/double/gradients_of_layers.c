/* exact_layers.c: every layer's backward against central differences, at odd sizes, in double.
 *
 * The loss of a layer is Σ weight · y with fixed weights, so the gradient that backward is given
 * is those weights. Gradients of parameters must be added to, those of inputs set: the places start
 * at a value that would show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/layers/block.h"
#include "model/layers/dropout.h"
#include "model/layers/embedding.h"
#include "model/layers/logits.h"
#include "model/layers/loss.h"
#include "tests/helpers/close.h"
#include "tests/helpers/patterns.h"
#include "base/threads.h"

enum { MOST = 4096 };

static double weighted(const Real *y, const Real *weight, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)y[i] * (double)weight[i];
    return sum;
}

/* Gradients of parameters begin at 1, to see that backward adds; this takes the 1 off again. */
static void ones(Real *at, size_t count, Real value)
{
    for (size_t i = 0; i < count; i++)
        at[i] += value;
}

/* ---- linear ---- */

enum { N = 5, IN = 3, OUT = 7 };

typedef struct {
    Real x[N * IN], w[IN * OUT], b[OUT], y[N * OUT], dy[N * OUT];
} LinearCase;

static double linear_loss(void *context)
{
    LinearCase *c = context;
    linear_forward(c->y, (Linear){c->w, c->b}, c->x, N, IN, OUT);
    return weighted(c->y, c->dy, N * OUT);
}

static void test_linear(void **state)
{
    (void)state;
    LinearCase c;
    Real dx[N * IN], dw[IN * OUT] = {0}, db[OUT] = {0};
    fill(c.x, N * IN, 1), fill(c.w, IN * OUT, 2), fill(c.b, OUT, 3), fill(c.dy, N * OUT, 4);
    ones(dw, IN * OUT, 1), ones(db, OUT, 1);
    linear_backward(dx, (Linear){dw, db}, c.dy, (Linear){c.w, c.b}, c.x, N, IN, OUT);
    ones(dw, IN * OUT, -1), ones(db, OUT, -1);
    assert_gradient("linear x", c.x, dx, N * IN, linear_loss, &c, false);
    assert_gradient("linear weight", c.w, dw, IN * OUT, linear_loss, &c, false);
    assert_gradient("linear bias", c.b, db, OUT, linear_loss, &c, false);
}

/* ---- logits ---- */

typedef struct {
    Real x[N * IN], w[OUT * IN], y[N * OUT], dy[N * OUT];
} LogitsCase;

static double logits_loss(void *context)
{
    LogitsCase *c = context;
    logits_forward(c->y, c->w, c->x, N, IN, OUT);
    return weighted(c->y, c->dy, N * OUT);
}

static void test_logits(void **state)
{
    (void)state;
    LogitsCase c;
    Real dx[N * IN], dw[OUT * IN] = {0};
    fill(c.x, N * IN, 1), fill(c.w, OUT * IN, 2), fill(c.dy, N * OUT, 3);
    ones(dw, OUT * IN, 1);
    logits_backward(dx, dw, c.dy, c.w, c.x, N, IN, OUT);
    ones(dw, OUT * IN, -1);
    assert_gradient("logits x", c.x, dx, N * IN, logits_loss, &c, false);
    assert_gradient("logits weight", c.w, dw, OUT * IN, logits_loss, &c, false);
}

/* ---- layer norm ---- */

typedef struct {
    Real x[N * OUT], gain[OUT], bias[OUT], y[N * OUT], dy[N * OUT], mean[N], rstd[N];
} NormCase;

static double norm_loss(void *context)
{
    NormCase *c = context;
    layernorm_forward(c->y, (LayerNormKeep){c->mean, c->rstd}, (LayerNorm){c->gain, c->bias}, c->x,
                      N, OUT);
    return weighted(c->y, c->dy, N * OUT);
}

static void test_layernorm(void **state)
{
    (void)state;
    NormCase c;
    Real dx[N * OUT], dgain[OUT] = {0}, dbias[OUT] = {0};
    fill(c.x, N * OUT, 1), fill(c.gain, OUT, 2), fill(c.bias, OUT, 3), fill(c.dy, N * OUT, 4);
    norm_loss(&c);
    ones(dgain, OUT, 1), ones(dbias, OUT, 1);
    layernorm_backward(dx, (LayerNorm){dgain, dbias}, c.dy, (LayerNormKeep){c.mean, c.rstd},
                       (LayerNorm){c.gain, c.bias}, c.x, N, OUT);
    ones(dgain, OUT, -1), ones(dbias, OUT, -1);
    assert_gradient("norm x", c.x, dx, N * OUT, norm_loss, &c, false);
    assert_gradient("norm gain", c.gain, dgain, OUT, norm_loss, &c, false);
    assert_gradient("norm bias", c.bias, dbias, OUT, norm_loss, &c, false);
}

/* ---- loss ---- */

typedef struct {
    Real logits[N * OUT], norm[N];
    int targets[N];
    double loss[N];
} LossCase;

static double scaled_loss(void *context)
{
    LossCase *c = context;
    double sum = 0;
    loss_forward(c->loss, c->norm, c->logits, c->targets, N, OUT);
    for (int i = 0; i < N; i++)
        sum += 0.2 * c->loss[i];
    return sum;
}

static void test_loss(void **state)
{
    (void)state;
    LossCase c = {.targets = {0, 6, -1, 3, 1}};
    Real d[N * OUT];
    fill(c.logits, N * OUT, 1);
    scaled_loss(&c);
    loss_backward(d, c.norm, c.logits, c.targets, N, OUT, (Real)0.2);
    assert_gradient("logits of the loss", c.logits, d, N * OUT, scaled_loss, &c, false);
    scaled_loss(&c); /* the differences have left their own norms */
    loss_backward(c.logits, c.norm, c.logits, c.targets, N, OUT, (Real)0.2); /* in its place */
    assert_memory_equal(c.logits, d, sizeof d);
    /* A target of -1 does not count. */
    assert_true(c.loss[2] == 0);
    for (int j = 0; j < OUT; j++)
        assert_true(d[2 * OUT + j] == 0);
}

/* ---- embedding ---- */

enum { VOCABULARY = 6, WIDTH = 5, CONTEXT = 4 };
static const int TOKENS[] = {2, 0, 2, 5, 2}, POSITIONS[] = {0, 1, 2, 0, 1}, START[] = {0, 3, 5};
static const Batch BATCH = {.rows = 5,
                            .sequences = 2,
                            .start = START,
                            .tokens = TOKENS,
                            .targets = TOKENS,
                            .positions = POSITIONS};

typedef struct {
    Real wte[VOCABULARY * WIDTH], wpe[CONTEXT * WIDTH], y[5 * WIDTH], dy[5 * WIDTH];
} EmbeddingCase;

static double embedding_loss(void *context)
{
    EmbeddingCase *c = context;
    embedding_forward(c->y, (Embedding){c->wte, c->wpe}, &BATCH, WIDTH);
    return weighted(c->y, c->dy, 5 * WIDTH);
}

static void test_embedding(void **state)
{
    (void)state;
    EmbeddingCase c;
    Real dwte[VOCABULARY * WIDTH] = {0}, dwpe[CONTEXT * WIDTH] = {0}, fixed[CONTEXT * WIDTH] = {0};
    fill(c.wte, VOCABULARY * WIDTH, 1), fill(c.wpe, CONTEXT * WIDTH, 2), fill(c.dy, 5 * WIDTH, 3);
    ones(dwte, VOCABULARY * WIDTH, 1), ones(dwpe, CONTEXT * WIDTH, 1);
    embedding_backward((Embedding){dwte, dwpe}, c.dy, &BATCH, WIDTH, true);
    ones(dwte, VOCABULARY * WIDTH, -1), ones(dwpe, CONTEXT * WIDTH, -1);
    assert_gradient("wte", c.wte, dwte, VOCABULARY * WIDTH, embedding_loss, &c, false);
    assert_gradient("wpe", c.wpe, dwpe, CONTEXT * WIDTH, embedding_loss, &c, false);
    embedding_backward((Embedding){dwte, fixed}, c.dy, &BATCH, WIDTH, false);
    for (int i = 0; i < CONTEXT * WIDTH; i++)
        assert_true(fixed[i] == 0);
}

/* ---- feed-forward ---- */

enum { HIDDEN = 7 };

typedef struct {
    FeedForwardShape shape;
    FeedForward p;
    FeedForwardKeep keep;
    Real *x, *y, *dy;
    Real numbers[MOST];
} FeedForwardCase;

static double feedforward_loss(void *context)
{
    FeedForwardCase *c = context;
    feedforward_forward(c->y, c->keep, c->p, c->x, N, c->shape);
    return weighted(c->y, c->dy, N * WIDTH);
}

static FeedForward place_feedforward(Arena *arena)
{
    return (FeedForward){
        .widen = {arena_take(arena, WIDTH, HIDDEN), arena_take(arena, HIDDEN, 1)},
        .narrow = {arena_take(arena, HIDDEN, WIDTH), arena_take(arena, WIDTH, 1)},
    };
}

static void check_feedforward(bool gelu)
{
    FeedForwardCase *c = memory_new(1, sizeof *c, "a test");
    Real *gradients = memory_new(MOST, sizeof *gradients, "a test");
    Arena arena = {c->numbers, 0}, darena = {gradients, 0};
    c->shape = (FeedForwardShape){WIDTH, HIDDEN, gelu};
    c->p = place_feedforward(&arena);
    const FeedForward dp = place_feedforward(&darena);
    fill(c->numbers, arena.used, 1);
    c->x = arena_take(&arena, N, WIDTH), c->y = arena_take(&arena, N, WIDTH);
    c->dy = arena_take(&arena, N, WIDTH);
    fill(c->x, N * WIDTH, 2), fill(c->dy, N * WIDTH, 3);
    c->keep = (FeedForwardKeep){arena_take(&arena, N, HIDDEN), arena_take(&arena, N, HIDDEN)};
    Real *dx = arena_take(&darena, N, WIDTH), *dhidden = arena_take(&darena, N, HIDDEN);

    feedforward_loss(c);
    feedforward_backward(dx, dp, dhidden, c->dy, c->keep, c->p, c->x, N, c->shape);
    assert_gradient("ff x", c->x, dx, N * WIDTH, feedforward_loss, c, false);
    assert_gradient("ff W1", c->p.widen.weight, dp.widen.weight, WIDTH * HIDDEN, feedforward_loss,
                    c, false);
    assert_gradient("ff b1", c->p.widen.bias, dp.widen.bias, HIDDEN, feedforward_loss, c, false);
    assert_gradient("ff W2", c->p.narrow.weight, dp.narrow.weight, HIDDEN * WIDTH, feedforward_loss,
                    c, false);
    assert_gradient("ff b2", c->p.narrow.bias, dp.narrow.bias, WIDTH, feedforward_loss, c, false);
    free(gradients);
    free(c);
}

static void test_feedforward(void **state)
{
    (void)state;
    check_feedforward(false);
    check_feedforward(true);
}

/* ---- dropout ---- */

static void test_dropout(void **state)
{
    (void)state;
    const Noise noise = {0.3, 7, 11, 0};
    Real x[3 * 101], mask[3 * 101], again[101];
    fill(x, 3 * 101, 1);
    for (int i = 0; i < 3 * 101; i++)
        mask[i] = 1;
    dropout(mask, 3, 101, RANDOM_DROP_MIXED, 2, noise);
    int dropped = 0;
    for (int i = 0; i < 3 * 101; i++) {
        const bool kept = fabs((double)mask[i] - 1 / 0.7) < 1e-12;
        assert_true(kept || mask[i] == 0);
        dropped += !kept;
    }
    assert_in_range(dropped, 60, 122); /* 91 expected, 8 the deviation */
    /* y = x · mask is linear: its backward is the same call. A row of a part of a step draws what
     * it draws in the whole. */
    memcpy(again, x + 101, sizeof again);
    dropout_row(again, 101, 0, RANDOM_DROP_MIXED, 2, (Noise){0.3, 7, 11, 1});
    for (int i = 0; i < 101; i++)
        assert_true(again[i] == x[101 + i] * mask[101 + i]);
    /* Another place, another mask. */
    memcpy(again, mask + 101, sizeof again);
    for (int i = 0; i < 101; i++)
        again[i] = 1;
    dropout_row(again, 101, 1, RANDOM_DROP_FEEDFORWARD, 2, noise);
    assert_memory_not_equal(again, mask + 101, sizeof again);
}

/* ---- attention and blocks ---- */

enum { HEADS = 3, LONG = 37 }; /* longer than a strip of queries */
static int long_tokens[LONG + 4], long_positions[LONG + 4];
static const int LONG_START[] = {0, 3, 3 + LONG, 4 + LONG};

static Batch long_batch(void)
{
    for (int s = 0, i = 0; s < 3; s++)
        for (int first = i; i < LONG_START[s + 1]; i++)
            long_positions[i] = i - first;
    return (Batch){LONG + 4,       3, LONG_START, long_tokens, long_tokens, LONG + 4,
                   long_positions, 0, NULL};
}

typedef struct {
    Batch batch;
    BlockShape shape;
    Noise noise;
    Block p;
    BlockKeep keep;
    BlockWork work;
    Real *x, *y, *dy;
} BlockCase;

static double block_loss(void *context)
{
    BlockCase *c = context;
    block_forward(c->y, c->keep, c->work, NULL, c->p, c->x, &c->batch, c->shape, c->noise);
    return weighted(c->y, c->dy, (size_t)c->batch.rows * (size_t)c->shape.attention.width);
}

static LayerNorm place_norm(Arena *arena, size_t C)
{
    return (LayerNorm){arena_take(arena, C, 1), arena_take(arena, C, 1)};
}

static Block place_parameters(Arena *arena, size_t C, size_t HD, size_t F)
{
    return (Block){
        .norm1 = place_norm(arena, C),
        .attention = {{arena_take(arena, C, 3 * HD), arena_take(arena, 3 * HD, 1)},
                      {arena_take(arena, HD, C), arena_take(arena, C, 1)}},
        .norm2 = place_norm(arena, C),
        .feedforward = {{arena_take(arena, C, F), arena_take(arena, F, 1)},
                        {arena_take(arena, F, C), arena_take(arena, C, 1)}},
    };
}

static void place_rest(BlockCase *c, Arena *arena, size_t C, size_t HD, size_t F)
{
    const size_t rows = (size_t)c->batch.rows;
    c->x = arena_take(arena, rows, C), c->y = arena_take(arena, rows, C);
    c->dy = arena_take(arena, rows, C);
    c->keep =
        (BlockKeep){.norm1 = {arena_take(arena, rows, 1), arena_take(arena, rows, 1)},
                    .norm2 = {arena_take(arena, rows, 1), arena_take(arena, rows, 1)},
                    .attention = {arena_take(arena, rows, 3 * HD), arena_take(arena, rows, HD),
                                  arena_take(arena, rows, HEADS)},
                    .feedforward = {arena_take(arena, rows, F), arena_take(arena, rows, F)},
                    .normed1 = arena_take(arena, rows, C),
                    .normed2 = arena_take(arena, rows, C),
                    .summed1 = arena_take(arena, rows, C),
                    .summed2 = arena_take(arena, rows, C),
                    .middle = arena_take(arena, rows, C)};
    const size_t strip = attention_strip_size(c->shape.attention, LONG);
    c->work =
        (BlockWork){.attention = {arena_take(arena, rows, 3 * HD), arena_take(arena, rows, HD),
                                  arena_take(arena, 3 * (size_t)thread_limit(), strip), strip},
                    .dhidden = arena_take(arena, rows, F),
                    .branch = arena_take(arena, rows, C),
                    .dnormed = arena_take(arena, rows, C)};
}

/* Which thirds of the qkv bias have a gradient: the key's has none, since adding the same to all
 * scores of a query changes nothing; where every head sees only itself, nor has the query's. */
static void check_qkv_bias(BlockCase *c, const Block *dp, size_t HD, bool alone)
{
    Real *bias = c->p.attention.qkv.bias;
    const Real *d = dp->attention.qkv.bias;
    assert_gradient("bq", bias, d, HD, block_loss, c, alone);
    assert_gradient("bk", bias + HD, d + HD, HD, block_loss, c, true);
    assert_gradient("bv", bias + 2 * HD, d + 2 * HD, HD, block_loss, c, false);
}

static void check_block(bool post, bool gelu, const Pattern *patterns, int head_size, double rate)
{
    const size_t C = WIDTH, HD = HEADS * (size_t)head_size, F = HIDDEN;
    BlockCase c = {.batch = long_batch(),
                   .noise = {rate, 5, 3, 0},
                   .shape = {post, {WIDTH, HEADS, head_size, patterns, 1}, {WIDTH, HIDDEN, gelu}}};
    Real *numbers = memory_new(1 << 16, sizeof *numbers, "a test");
    Real *gradients = memory_new(1 << 14, sizeof *gradients, "a test");
    Arena arena = {numbers, 0}, darena = {gradients, 0};
    c.p = place_parameters(&arena, C, HD, F);
    fill(numbers, arena.used, 1);
    const Block dp = place_parameters(&darena, C, HD, F);
    place_rest(&c, &arena, C, HD, F);
    const size_t rows = (size_t)c.batch.rows;
    fill(c.x, rows * C, 2), fill(c.dy, rows * C, 3);

    block_loss(&c);
    Real *d = arena_take(&darena, rows, C);
    memcpy(d, c.dy, sizeof *d * rows * C);
    block_backward(d, dp, c.work, c.keep, c.p, c.x, &c.batch, c.shape, c.noise);

    const bool alone = patterns && pattern_window_size(patterns[0]) == 1 &&
                       pattern_window_size(patterns[1]) == 1 &&
                       pattern_window_size(patterns[2]) == 1;
    assert_gradient("block x", c.x, d, rows * C, block_loss, &c, false);
    assert_gradient("Wqkv", c.p.attention.qkv.weight, dp.attention.qkv.weight, C * 3 * HD,
                    block_loss, &c, false);
    check_qkv_bias(&c, &dp, HD, alone);
    assert_gradient("Wout", c.p.attention.out.weight, dp.attention.out.weight, HD * C, block_loss,
                    &c, false);
    assert_gradient("bout", c.p.attention.out.bias, dp.attention.out.bias, C, block_loss, &c,
                    false);
    assert_gradient("gain1", c.p.norm1.gain, dp.norm1.gain, C, block_loss, &c, false);
    assert_gradient("bias1", c.p.norm1.bias, dp.norm1.bias, C, block_loss, &c, false);
    assert_gradient("gain2", c.p.norm2.gain, dp.norm2.gain, C, block_loss, &c, false);
    assert_gradient("bias2", c.p.norm2.bias, dp.norm2.bias, C, block_loss, &c, false);
    assert_gradient("W1", c.p.feedforward.widen.weight, dp.feedforward.widen.weight, C * F,
                    block_loss, &c, false);
    assert_gradient("b1", c.p.feedforward.widen.bias, dp.feedforward.widen.bias, F, block_loss, &c,
                    false);
    assert_gradient("W2", c.p.feedforward.narrow.weight, dp.feedforward.narrow.weight, F * C,
                    block_loss, &c, false);
    assert_gradient("b2", c.p.feedforward.narrow.bias, dp.feedforward.narrow.bias, C, block_loss,
                    &c, false);
    assert_true(arena.used < 1 << 16 && darena.used < 1 << 14);
    free(gradients);
    free(numbers);
}

static void test_blocks(void **state)
{
    (void)state;
    for (int post = 0; post < 2; post++) {
        check_block(post, false, NULL, 3, 0);
        check_block(post, true, NULL, 2, 0.3);
        const Pattern full = {PATTERN_FULL, 0};
        check_block(post, false, (Pattern[]){full, full, full}, 1, 0);
    }
}

static void test_windows(void **state)
{
    (void)state;
    check_block(false, false, (Pattern[]){W(1), W(2), W(5)}, 3, 0);
    check_block(true, true, (Pattern[]){W(0), W(33), W(40)}, 2, 0.2);
    check_block(false, false, (Pattern[]){W(1), W(1), W(1)}, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),    cmocka_unit_test(test_logits),
        cmocka_unit_test(test_layernorm), cmocka_unit_test(test_loss),
        cmocka_unit_test(test_embedding), cmocka_unit_test(test_feedforward),
        cmocka_unit_test(test_dropout),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
