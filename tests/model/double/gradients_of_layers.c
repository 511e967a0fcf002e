/* gradients_of_layers.c: the backward of a block and of its layers against central differences, at
 * odd sizes, in double. What stands around the blocks is in gradients_of_model.c.
 *
 * The loss of a layer is Σ weight · y with fixed weights, so the gradient of y that backward is
 * given is those weights. Gradients of parameters must be added to, those of inputs set: the former
 * start at 1, which the test subtracts again. */

#include "model/gpt.h"
#include "tests/helpers/test.h"
#include "tests/helpers/patterns.h"

static double weighted(const Real *y, const Real *weight, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)y[i] * (double)weight[i];
    return sum;
}

static void add_constant(Real *at, size_t count, Real value)
{
    for (size_t i = 0; i < count; i++)
        at[i] += value;
}

/* ---- Feed-forward and blocks: those of a model of one layer ---- */

enum { WIDTH = 5, HEADS = 3, HIDDEN = 7, LONG = 37 }; /* longer than a strip of queries */

typedef struct {
    Gpt gpt;
    Batch batch;
    Dropout dropout;
    Real *x, *y, *dy; /* (N, C) */
} LayerCase;

static const int LONG_START[] = {0, 3, 3 + LONG, 4 + LONG};

/* Over sequences of 3, 37 and 1 tokens. layer_case_free() frees it. */
static LayerCase layer_case(GptConfig config, double rate)
{
    config.layers = config.vocabulary = 1;
    config.context = LONG;
    config.heads = HEADS;
    config.key_heads = config.key_heads ? config.key_heads : HEADS;
    config.norm_epsilon = 1e-5;
    config.theta = 3;
    config.width = WIDTH;
    config.hidden = HIDDEN;
    LayerCase c = {.batch = {.rows = LONG_START[3], .sequences = 3, .start = LONG_START},
                   .dropout = {rate, 5, 3}};
    const size_t count = (size_t)c.batch.rows * WIDTH;
    c.gpt = gpt_new(&config, c.batch.rows);
    c.x = memory_new(count, sizeof *c.x, "a test");
    c.y = memory_new(count, sizeof *c.y, "a test");
    c.dy = memory_new(count, sizeof *c.dy, "a test");
    fill(c.gpt.weight_block, c.gpt.size, 1);
    fill(c.x, count, 4), fill(c.dy, count, 3);
    add_constant(c.gpt.gradient_block, c.gpt.size, 1);
    return c;
}

static void layer_case_free(LayerCase *c)
{
    gpt_free(&c->gpt);
    free(c->x);
    free(c->y);
    free(c->dy);
}

/* Central differences for x, whose gradient is dx, and for all parameters whose name begins with
 * `prefix`. All heads see only themselves if `alone`. */
static void check_layer(LayerCase *c, const Real *dx, LossFunction *loss, const char *prefix,
                        bool alone)
{
    Gpt *gpt = &c->gpt;
    const size_t HD = HEADS * (size_t)gpt->config.head_size;
    const size_t KD = (size_t)gpt->config.key_heads * (size_t)gpt->config.head_size;
    const bool turned = gpt->config.positions == POSITIONS_ROTARY;
    add_constant(gpt->gradient_block, gpt->size, -1);
    assert_gradient("x", c->x, dx, (size_t)c->batch.rows * WIDTH, loss, c, false);
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        Real *at = gpt->weight_block + tensor->offset, *d = gpt->gradient_block + tensor->offset;
        /* (what is not trained gets its gradients, of which nobody makes use) */
        if (strncmp(tensor->name, prefix, strlen(prefix)) || !tensor->trained)
            continue;
        if (strcmp(tensor->name, "h.0.attn.c_attn.bias")) {
            assert_gradient(tensor->name, at, d, tensor_size(tensor), loss, c, false);
            continue;
        }
        /* A key's bias adds the same to all scores of a query, so its gradient is truly 0, unless
         * each key is turned by another angle; so is that of a query's bias if the query sees only
         * itself. */
        assert_gradient("bq", at, d, HD, loss, c, alone);
        assert_gradient("bk", at + HD, d + HD, KD, loss, c, !turned);
        assert_gradient("bv", at + HD + KD, d + HD + KD, KD, loss, c, false);
    }
}

static double feedforward_loss(void *context)
{
    LayerCase *c = context;
    feedforward_forward(c->y, &c->gpt.block[0].feedforward, c->x, c->batch.rows);
    return weighted(c->y, c->dy, (size_t)c->batch.rows * WIDTH);
}

TEST(feedforward_gradients)
{
    for (int i = 0; i < 6; i++) {
        const GptConfig config = {.head_size = 1, .activation = i % 3, .gated = i / 3};
        FREED_BY(layer_case_free) LayerCase c = layer_case(config, 0);
        AUTOFREE Real *dx = memory_new((size_t)c.batch.rows * WIDTH, sizeof *dx, "a test");
        feedforward_loss(&c);
        feedforward_backward(dx, &c.gpt.block[0].feedforward, c.dy, c.x, c.batch.rows);
        check_layer(&c, dx, feedforward_loss, "h.0.mlp.", false);
    }
}

static double block_loss(void *context)
{
    LayerCase *c = context;
    block_forward(c->y, NULL, &c->gpt.block[0], c->x, &c->batch, c->dropout);
    return weighted(c->y, c->dy, (size_t)c->batch.rows * WIDTH);
}

/* prefix (3), or NULL: see batch.h. */
static void check_block_with(GptConfig config, double rate, bool alone, const int *prefix)
{
    FREED_BY(layer_case_free) LayerCase c = layer_case(config, rate);
    c.batch.prefix = prefix;
    const size_t count = (size_t)c.batch.rows * WIDTH;
    AUTOFREE Real *d = memory_new(count, sizeof *d, "a test");
    block_loss(&c);
    memcpy(d, c.dy, count * sizeof *d);
    block_backward(d, &c.gpt.block[0], c.x, &c.batch, c.dropout);
    check_layer(&c, d, block_loss, "h.0.", alone);
}

static void check_block(GptConfig config, double rate, bool alone)
{
    check_block_with(config, rate, alone, NULL);
}

TEST(block_gradients)
{
    for (int post = 0; post < 2; post++) {
        check_block((GptConfig){.norm = post, .head_size = 3}, 0, false);
        check_block((GptConfig){.norm = post, .activation = ACTIVATION_GELU, .head_size = 2}, 0.3,
                    false);
    }
}

/* Each choice of llama's by itself, and all together with patterns and dropout. */
TEST(block_gradients_of_llamas_choices)
{
    static const Pattern sparse[] = {STRIDED(3), W(4), SUMMARY(4, 2)};
    for (int post = 0; post < 2; post++) {
        check_block((GptConfig){.norm = post, .rms = true, .head_size = 3}, 0, false);
        check_block((GptConfig){.norm = post, .key_heads = 1, .head_size = 2}, 0, false);
        check_block((GptConfig){.norm = post, .positions = POSITIONS_ROTARY, .head_size = 6}, 0,
                    false);
        check_block((GptConfig){.norm = post,
                                .rms = true,
                                .positions = POSITIONS_ROTARY,
                                .key_heads = 1,
                                .activation = ACTIVATION_SILU,
                                .gated = true,
                                .no_other_bias = true,
                                .patterns = sparse,
                                .head_size = 4},
                    0.2, false);
    }
}

TEST(block_gradients_of_every_pattern)
{
    static const Pattern narrow[] = {W(1), W(2), W(5)}, wide[] = {W(0), W(33), W(40)},
                         alone[] = {W(1), W(1), W(1)},
                         sparse[] = {STRIDED(3), FIXED(5), SUMMARY(4, 2)},
                         long_sparse[] = {STRIDED(1), FIXED(36), SUMMARY(17, 1)};
    check_block((GptConfig){.head_size = 3, .patterns = narrow}, 0, false);
    check_block(
        (GptConfig){
            .norm = NORM_POST, .activation = ACTIVATION_GELU, .head_size = 2, .patterns = wide},
        0.2, false);
    check_block((GptConfig){.head_size = 3, .patterns = alone}, 0, true);
    for (int post = 0; post < 2; post++)
        check_block((GptConfig){.norm = post, .head_size = 1, .patterns = sparse}, 0.3, false);
    check_block((GptConfig){.head_size = 2, .patterns = long_sparse}, 0, false);
}

/* Some tokens see each other in both directions, or all do. */
TEST(block_gradients_with_a_prefix)
{
    static const Pattern sparse[] = {STRIDED(3), W(4), SUMMARY(4, 2)};
    static const int some[] = {2, 20, 0}, all[] = {3, LONG, 1};
    check_block_with((GptConfig){.head_size = 3}, 0.2, false, some);
    check_block_with((GptConfig){.norm = NORM_POST, .head_size = 1}, 0, false, all);
    check_block_with((GptConfig){.head_size = 3, .patterns = sparse}, 0.3, false, some);
}

/* ---- Dropout ---- */

TEST(dropout_masks)
{
    const Dropout how = {0.3, 7, 11};
    Real x[3 * 101], mask[3 * 101], again[101];
    fill(x, 3 * 101, 1);
    for (int i = 0; i < 3 * 101; i++)
        mask[i] = 1;
    dropout_apply(mask, &(Batch){.rows = 3}, 101, RANDOM_DROP_MIXED, 2, how);
    int dropped = 0;
    for (int i = 0; i < 3 * 101; i++) {
        const bool kept = fabs((double)mask[i] - 1 / 0.7) < 1e-12;
        assert_true(kept || mask[i] == 0);
        dropped += !kept;
    }
    assert_in_range(dropped, 60, 122); /* 91 expected, 8 the deviation */
    /* y = x · mask is linear: its backward is the same call. A row of a part of a step has the mask
     * that it has in the whole step. */
    memcpy(again, x + 101, sizeof again);
    dropout_apply(again, &(Batch){.rows = 1, .first_row = 1}, 101, RANDOM_DROP_MIXED, 2, how);
    for (int i = 0; i < 101; i++)
        assert_true(again[i] == x[101 + i] * mask[101 + i]);
    /* Some of its columns have the mask that they have among all. */
    for (int first = 0; first < 101; first += 7) {
        memcpy(again, x + 101 + first, (size_t)(101 - first) * sizeof *again);
        dropout_apply_row(again, first, 101 - first, 1, RANDOM_DROP_MIXED, 2, how);
        for (int i = first; i < 101; i++)
            assert_true(again[i - first] == x[101 + i] * mask[101 + i]);
    }
    /* Another place, another mask. */
    for (int i = 0; i < 101; i++)
        again[i] = 1;
    dropout_apply_row(again, 0, 101, 1, RANDOM_DROP_FEEDFORWARD, 2, how);
    assert_memory_not_equal(again, mask + 101, sizeof again);
}
