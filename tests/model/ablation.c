/* ablation.c (test): a head or a layer that was taken out adds nothing, in every kind of model. */

#include "model/gpt.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

/* A head whose values are all 0 gives 0, whatever it attends to. (Those that it shares cannot be
 * all 0 for it alone.) */
static void zero_values(Gpt *gpt, int layer, int head)
{
    const Linear qkv = gpt->weights.block[layer].attention.qkv;
    const int D = gpt->config.head_size, from = (2 * gpt->config.heads + head) * D;
    for (int row = 0; row <= qkv.in; row++)
        memset((row < qkv.in ? ROW(qkv.weight, row, qkv.out) : qkv.bias) + from, 0,
               (size_t)D * sizeof(Real));
}

static void assert_equal(const char *what, const Real *got, const Real *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_close_one(what, (double)got[i], (double)wanted[i], 1e-6);
}

TEST(a_head_gives_what_one_with_values_of_0_gives)
{
    for (int c = 0; c < CASE_COUNT; c++) {
        const GptConfig *config = &CASES[c].shape;
        const size_t size = (size_t)CASE_BATCH.rows * (size_t)config->width;
        for (int head = 0; head < config->heads && config->key_heads == config->heads; head++) {
            Gpt gpt = case_model(&CASES[c]), other = case_model(&CASES[c]);
            const int layer = config->layers - 1;
            ablate(&gpt, layer, head);
            zero_values(&other, layer, head);
            gpt_forward(&gpt, &CASE_BATCH, NULL, (Dropout){0});
            gpt_forward(&other, &CASE_BATCH, NULL, (Dropout){0});
            assert_equal(CASES[c].name, gpt_head_input(&gpt), gpt_head_input(&other), size);
            gpt_free(&gpt);
            gpt_free(&other);
        }
    }
}

/* A patch (N, H·D) that replaces nothing but what a head gives. */
TEST(a_head_that_is_patched_by_0_adds_nothing)
{
    for (int c = 0; c < CASE_COUNT; c++) {
        const GptConfig *config = &CASES[c].shape;
        const int H = config->heads, D = config->head_size, N = CASE_BATCH.rows;
        const size_t size = (size_t)N * (size_t)config->width;
        AUTOFREE Real *patch = memory_take((size_t)N * (size_t)H * (size_t)D * sizeof *patch);
        for (int head = 0; head < H; head++) {
            FREED_BY(gpt_free) Gpt gpt = case_model(&CASES[c]);
            FREED_BY(gpt_free) Gpt other = case_model(&CASES[c]);
            for (int i = 0; i < N * H * D; i++)
                patch[i] = i / D % H == head ? 0 : NAN;
            gpt.block[0].attention.patch = patch;
            ablate(&other, 0, head);
            gpt_forward(&gpt, &CASE_BATCH, NULL, (Dropout){0});
            gpt_forward(&other, &CASE_BATCH, NULL, (Dropout){0});
            assert_equal(CASES[c].name, gpt_head_input(&gpt), gpt_head_input(&other), size);
        }
    }
}

/* What the block passes on: its input, which post-norm brings to a mean of 0 and so on, twice. */
TEST(a_layer_passes_its_input_on)
{
    for (int c = 0; c < CASE_COUNT; c++) {
        const Case *which = &CASES[c];
        FREED_BY(gpt_free) Gpt gpt = case_model(which);
        const int N = CASE_BATCH.rows, C = which->shape.width;
        const size_t size = (size_t)N * (size_t)C;
        ablate(&gpt, 0, gpt.config.heads);
        gpt_forward(&gpt, &CASE_BATCH, NULL, (Dropout){0});
        const Real *before = gpt.keep.stream, *after = before + (size_t)gpt.rows * (size_t)C;
        AUTOFREE Real *wanted = memory_take(size * sizeof *wanted);
        memcpy(wanted, before, size * sizeof *wanted);
        if (which->shape.norm == NORM_POST) {
            layernorm_forward(wanted, &gpt.block[0].norm1, wanted, N);
            layernorm_forward(wanted, &gpt.block[0].norm2, wanted, N);
        }
        assert_equal(which->name, after, wanted, size);
    }
}
