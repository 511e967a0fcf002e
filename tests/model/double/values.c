/* values.c: layers, schedule and optimiser against values that were computed by hand or published,
 * in double. */

#include "model/layers/loss.h"
#include "model/optimizer.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

TEST(layer_norm)
{
    const Real x[] = {1, 2, 3, 4};
    Real gain[] = {1, 1, 1, 1}, bias[4] = {0}, y[4], mean[1], rstd[1];
    const LayerNorm layer = {.p = {gain, bias, 4, false, (Real)1e-5}, .keep = {mean, rstd}};
    layernorm_forward(y, &layer, x, 1);
    assert_close("layer norm", y, (double[]){-1.3416354, -0.4472118, 0.4472118, 1.3416354}, 4,
                 5e-8);
    /* RMSNorm: x / √(7.5 + 1e-5) */
    const LayerNorm rms = {.p = {gain, bias, 4, true, (Real)1e-5}, .keep = {mean, rstd}};
    layernorm_forward(y, &rms, x, 1);
    assert_close("RMSNorm", y, (double[]){0.3651481, 0.7302963, 1.0954444, 1.4605925}, 4, 5e-8);
}

/* Two positions of a head of four: theta 100 turns the second pair by a tenth of the first's angle.
 * What a query and a key give depends on how far apart they are. */
TEST(rotary_positions)
{
    enum { T = 5, D = 4 };
    Real numbers[2 * T * 16] = {0};
    Arena arena = {.at = numbers};
    const Rotary rotary = rotary_new(&arena, T, D);
    rotary_fill(rotary, T, 100);
    Real x[T * D];
    for (int i = 0; i < T * D; i++)
        x[i] = (Real)(i % D + 1);
    const Batch batch = {.rows = T, .sequences = 1, .start = (const int[]){0, T}};
    rotary_forward(x, rotary, 1, D, &batch);
    const double c = 0.5403023058681398, s = 0.8414709848078965; /* of 1, and of 0.1 */
    const double c2 = 0.9950041652780258, s2 = 0.09983341664682815;
    assert_close("position 0", x, (double[]){1, 2, 3, 4}, 4, 1e-12);
    assert_close("position 1", x + D,
                 (double[]){c - 3 * s, 2 * c2 - 4 * s2, 3 * c + s, 4 * c2 + 2 * s2}, 4, 1e-12);
    double apart[2] = {0};
    for (int d = 0; d < D; d++) {
        apart[0] += (double)x[d] * (double)x[2 * D + d];
        apart[1] += (double)x[2 * D + d] * (double)x[4 * D + d];
    }
    assert_close_one("two places on", apart[1], apart[0], 1e-12);
    rotary_backward(x, rotary, 1, D, &batch);
    for (int i = 0; i < T; i++)
        assert_close("turned back", x + i * D, (double[]){1, 2, 3, 4}, 4, 1e-12);
}

TEST(gelu_and_relu)
{
    /* A feed-forward layer that is only its activation: 1 x 1, with weights 1. */
    Real one = 1, zero = 0, hidden, active;
    const double known[][2] = {
        {-1, -.1588080}, {.5, .3457140}, {1, .8411920}, {3, 2.9963626}, {0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const Real x = known[i][0];
        Real y;
        FeedForward layer = {.activation = ACTIVATION_GELU,
                             .p = {{&one, &zero, 1, 1}, {&one, &zero, 1, 1}},
                             .keep = {&hidden, &active}};
        feedforward_forward(&y, &layer, &x, 1);
        assert_close_one("gelu", y, known[i][1], 5e-8);
        layer.activation = ACTIVATION_RELU;
        feedforward_forward(&y, &layer, &x, 1);
        assert_close_one("relu", y, fmax(known[i][0], 0), 0);
    }
}

/* Logits that are ln 4, ln 2, ln 1 and ln 1 have the probabilities 4/8, 2/8, 1/8 and 1/8. */
TEST(predictions_are_ranked)
{
    const Real logits[] = {log(2), 0, log(4), 0, log(2), 0, log(4), 0,
                           9,      9, 9,      9, 0,      0, log(2), log(4)};
    const int targets[] = {0, 3, 1, 2}, ranks[] = {2, 4, 2, 2}, best[] = {2, 2, 0, 3};
    const double p[] = {0.25, 0.125, 0.25, 0.25}, bits[] = {1.75, 1.75, 2, 1.75},
                 most[] = {0.5, 0.5, 0.25, 0.5};
    double loss[4];
    Real log_sum[4];
    Prediction each[4];
    loss_forward(loss, log_sum, logits, targets, 4, 4);
    loss_predictions(each, loss, logits, targets, 4, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(each[i].target, targets[i]);
        assert_int_equal(each[i].rank, ranks[i]);
        assert_int_equal(each[i].best, best[i]);
        assert_close_one("probability", exp(-each[i].loss), p[i], 1e-15);
        assert_close_one("entropy", each[i].entropy / M_LN2, bits[i], 1e-15);
        assert_close_one("the best", each[i].best_p, most[i], 1e-15);
    }
}

TEST(sinusoids_are_those_of_the_paper)
{
    /* The 2017 paper's values for width 4; ours are divided by √4 and kept as floats. */
    const double paper[] = {0,         1,         0,         1,          .84147098, .54030231,
                            .00999983, .99995,    .90929743, -.41614684, .01999867, .99980001,
                            .14112001, -.9899925, .0299955,  .99955003};
    Real wpe[16];
    embedding_sinusoids(wpe, 4, 4);
    for (int i = 0; i < 16; i++)
        assert_close_one("position", 2 * (double)wpe[i], paper[i], 7e-8);
}

TEST(noam_is_that_of_the_annotated_paper)
{
    /* Width, warm-up, step and rate, as the annotated paper's schedule gives them. */
    static const struct {
        int width, warmup, step;
        double rate;
    } known[] = {
        {512, 4000, 1, 1.74692811e-7},      {512, 4000, 100, 1.74692811e-5},
        {512, 4000, 1000, 1.74692811e-4},   {512, 4000, 4000, 6.98771243e-4},
        {512, 4000, 8000, 4.94105884e-4},   {512, 4000, 16000, 3.49385621e-4},
        {512, 4000, 20000, 3.125e-4},       {512, 8000, 8000, 4.94105884e-4},
        {256, 4000, 4000, 9.88211769e-4},   {128, 4000, 4000, 1.39754249e-3},
        {128, 40000, 1, 1.10485435e-8},     {128, 40000, 1000, 1.10485435e-5},
        {128, 40000, 40000, 4.41941738e-4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const Schedule s = {.kind = SCHEDULE_NOAM,
                            .factor = 1,
                            .width = known[i].width,
                            .warmup = known[i].warmup,
                            .horizon = 1000000};
        assert_close_one("noam", schedule_rate(&s, known[i].step), known[i].rate,
                         5e-9 * known[i].rate);
    }
}

TEST(warm_up_cool_down_and_cosine)
{
    const Schedule constant = {
        .kind = SCHEDULE_CONSTANT, .rate = 2, .warmup = 4, .cooldown = 0.2, .horizon = 20};
    assert_close_one("warming up", schedule_rate(&constant, 1), 0.5, 1e-15);
    assert_close_one("warm", schedule_rate(&constant, 4), 2, 1e-15);
    assert_close_one("before the cool-down", schedule_rate(&constant, 16), 2, 1e-15);
    assert_close_one("its first step", schedule_rate(&constant, 17), 2, 1e-15);
    assert_close_one("its second", schedule_rate(&constant, 18), 1.5, 1e-15);
    assert_close_one("its last", schedule_rate(&constant, 20), 0.5, 1e-15);
    assert_close_one("after the end", schedule_rate(&constant, 21), 0, 0);

    const Schedule cosine = {.kind = SCHEDULE_COSINE,
                             .rate = 2,
                             .min_rate = 1,
                             .warmup = 10,
                             .cooldown = 0.2,
                             .horizon = 110};
    assert_close_one("warming up", schedule_rate(&cosine, 5), 1, 1e-15);
    assert_close_one("highest", schedule_rate(&cosine, 10), 2, 1e-15);
    assert_close_one("half way", schedule_rate(&cosine, 60), 1.5, 1e-15);
    assert_close_one("end", schedule_rate(&cosine, 110), 1, 1e-15);

    const Schedule bare = {.kind = SCHEDULE_NOAM, .factor = 0.5, .width = 64, .horizon = 100};
    assert_close_one("no warm-up", schedule_rate(&bare, 4), 0.5 / 8 / 2, 1e-15);
}

TEST(three_steps_of_adam_by_hand)
{
    /* f(w) = 0.05 w², w from 1, rate 0.1: three steps without decay, and with 0.01 decoupled. */
    const double known[2][3] = {{.9000000010, .8003620061, .7013970385},
                                {.8990000010, .7984682811, .6987200522}};
    for (int decay = 0; decay < 2; decay++) {
        Real w = 1, m = 0, v = 0;
        for (int t = 1; t <= 3; t++) {
            Real g = (Real)0.1 * w;
            adam_update(&w, &m, &v, &g, 1, 1, 0.1, decay ? 0.01 : 0, 1e-9, adam_bias(t));
            assert_close_one("Adam", w, known[decay][t - 1], 6e-11);
        }
    }
    /* A first step is rate · g/(|g| + ε). */
    Real w = 1, m = 0, v = 0, g = (Real)0.1;
    adam_update(&w, &m, &v, &g, 1, 1, 0.1, 0, 0.1, adam_bias(1));
    assert_close_one("epsilon", w, 0.95, 1e-9);
    /* A clipped gradient is smaller in both moments. */
    w = 1, m = 0, v = 0, g = 8;
    adam_update(&w, &m, &v, &g, 1, 0.25, 0.1, 0, 1e-9, adam_bias(1));
    assert_close_one("m", m, 0.2, 1e-15);
    assert_close_one("v", v, 0.08, 1e-15);
    assert_close_one("g, for the next step", g, 0, 0);
}

/* The first ten steps count as the last one alone. Later each has its share: of weights that are t
 * at step t the average is 10/11 of t, about. */
TEST(an_average_is_made_of_the_last_steps)
{
    enum { STEPS = 1000 };
    Real w[2] = {0, 0}, average[2] = {5, 5}, share = 0;
    const Gpt gpt = {.weight_block = w, .size = 2};
    const Optimizer optimizer = {.average = average};
    for (int t = 1; t <= STEPS; t++) {
        w[0] = t;
        w[1] = t > STEPS - STEPS / 10; /* 1 in the last tenth */
        optimizer_average(&optimizer, &gpt, t);
        if (t <= 10)
            assert_close_one("the beginning", average[0], t, 0);
    }
    /* a_t = Σ_k 10/k·∏_{j>k} (1 − 10/j)·w_k, summed from the last step back */
    Real rest = 1, mean = 0;
    for (int k = STEPS; k >= 1; k--) {
        const Real part = rest * (k > 10 ? 10 / (Real)k : 1);
        mean += part * k;
        share += k > STEPS - STEPS / 10 ? part : 0;
        rest -= part;
    }
    assert_close_one("the average", average[0], mean, 1e-9);
    assert_close_one("about 10/11", average[0], STEPS * 10 / 11.0, 1);
    assert_close_one("the last tenth", average[1], share, 1e-12);
    assert_close_one("about two thirds", average[1], 1 - pow(0.9, 10), 0.005);
}

/* Fixed positions are not trained: whatever is in their place does not count. */
TEST(the_gradient_norm_is_over_all_tensors)
{
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&(GptConfig){SIZES(3, 1, 1, 3, 3, 5, 20000)}, 2);
    FREED_BY(optimizer_free) Optimizer optimizer = optimizer_new(&gpt, OPTIMIZER_ADAMW, false);
    double squares = 0;
    for (int i = 0; i < gpt.tensor_count; i++) {
        const Tensor *t = &gpt.tensors[i];
        const size_t count = tensor_size(t);
        fill(gpt.gradient_block + t->offset, count, i);
        for (size_t j = 0; j < count && t->trained; j++)
            squares += (double)gpt.gradient_block[t->offset + j] *
                       (double)gpt.gradient_block[t->offset + j];
    }
    assert_close_one("norm", optimizer_gradient_norm(&optimizer, &gpt), sqrt(squares),
                     1e-12 * sqrt(squares));
}

/* One step changes all that is trained and nothing else; only matrices decay. */
static void check_a_step(OptimizerKind kind)
{
    FREED_BY(gpt_free)
    Gpt gpt = gpt_new(&(GptConfig){SIZES(3, 2, 2, 3, 4, 5, 7), .no_qkv_bias = true}, 2);
    gpt_init(&gpt, 1);
    FREED_BY(optimizer_free) Optimizer optimizer = optimizer_new(&gpt, kind, false);
    AUTOFREE Real *before = memory_new(gpt.size, sizeof *before, "a test");
    memcpy(before, gpt.weight_block, gpt.size * sizeof *before);
    optimizer_step(&optimizer, &gpt, 1, 0.1, 0.5, 1e-9, 1); /* no gradient, only decay */
    for (int i = 0; i < gpt.tensor_count; i++) {
        const Tensor *t = &gpt.tensors[i];
        const double keep = t->trained && t->kind == TENSOR_MATRIX ? 0.95 : 1;
        for (int j = 0; j < t->rows * t->cols; j++)
            assert_close_one(t->name, gpt.weight_block[t->offset + (size_t)j],
                             keep * before[t->offset + (size_t)j], 1e-15);
    }
}

TEST(a_step_changes_what_is_trained)
{
    check_a_step(OPTIMIZER_ADAMW);
    check_a_step(OPTIMIZER_MUON);
}
