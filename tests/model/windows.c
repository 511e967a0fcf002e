/* test_windows.c: heads that see the last few tokens alone, themselves included: against the mask
 * that the page on sparse attention makes, and how far back a whole model sees. */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/close.h"
#include "tests/helpers/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpt.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/torch_random.h"
#include "base/threads.h"

/* ---- The page's own way, in double precision ---- */

/* Its function `masking`, step by step: 1 everywhere but where a query may see. The caller frees
 * it. Here as in Pulga, a window of 0 is all that came before. */
static double *mask_new(int n, int window)
{
    double *mask = memory_new((size_t)n * (size_t)n, sizeof *mask, "a mask");
    for (int i = 0; i < n * n; i++)
        mask[i] = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < (window ? window : n); j++)
            mask[i * n + (i > j ? i - j : 0)] = 0;
    return mask;
}

/* P (n, n) and h (n, D) of one head: the scores of all pairs, those that are masked set to −1e9,
 * and the softmax of whole rows. */
static void plain_attention(double *P, double *h, const double *mask, Matrix q, Matrix k, Matrix v)
{
    const int n = q.rows;
    for (int i = 0; i < n; i++) {
        double *row = P + (ptrdiff_t)i * n, top = -INFINITY, sum = 0;
        for (int j = 0; j < n; j++) {
            row[j] = 0;
            for (int d = 0; d < q.cols; d++)
                row[j] += (double)q.at[i * q.row_step + d] * (double)k.at[j * k.row_step + d];
            row[j] = mask[i * n + j] != 0 ? -1e9 : row[j] / sqrt(q.cols);
            top = fmax(top, row[j]);
        }
        for (int j = 0; j < n; j++)
            sum += row[j] = exp(row[j] - top);
        for (int d = 0; d < v.cols; d++)
            h[i * v.cols + d] = 0;
        for (int j = 0; j < n; j++) {
            row[j] /= sum;
            for (int d = 0; d < v.cols; d++)
                h[i * v.cols + d] += row[j] * (double)v.at[j * v.row_step + d];
        }
    }
}

/* ---- A layer of attention by itself, over sequences of several lengths ---- */

/* Forward has the first of each thread's three strips; fails if it writes beyond it. */
static void run_layer(AttentionLayer *layer)
{
    const Real untouched = 4711;
    const size_t strip = layer->work.strip;
    for (size_t thread = 0; thread < (size_t)thread_limit(); thread++)
        for (size_t i = 0; i < strip; i++)
            layer->work.strips[(3 * thread + 1) * strip + i] = untouched;
    attention_layer_run(layer, layer->x);
    for (size_t thread = 0; thread < (size_t)thread_limit(); thread++)
        for (size_t i = 0; i < strip; i++)
            assert_true(layer->work.strips[(3 * thread + 1) * strip + i] == untouched);
}

/* The queries, keys or values of a head of a sequence. */
static Matrix kept_part(const AttentionLayer *layer, Part part, int sequence, int head)
{
    const int first = layer->start[sequence], length = layer->start[sequence + 1] - first;
    return matrix_rows(attention_layer_part(layer, part, head), first, length);
}

/* What is masked is exactly 0, the rest is not, and each row sums to 1. */
static void assert_masked(const Real *P, const double *mask, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            assert_int_equal(P[i * n + j] == 0, mask[i * n + j] != 0);
            sum += (double)P[i * n + j];
        }
        assert_close_one("the sum of a row", sum, 1, 1e-6);
    }
}

/* Everything that a head of a sequence gave, against the page's way. */
static void assert_head(const AttentionLayer *layer, int sequence, int head)
{
    const int H = layer->shape.heads, D = layer->shape.head_size;
    const Pattern pattern = layer->shape.patterns[head];
    const Matrix q = kept_part(layer, QUERY, sequence, head),
                 k = kept_part(layer, KEY, sequence, head);
    const Matrix v = kept_part(layer, VALUE, sequence, head);
    const Real *P = attention_layer_map(layer, sequence, head).at;
    const size_t n = (size_t)q.rows;
    double *mask = pattern.kind == PATTERN_FULL ? memory_new(n * n, sizeof *mask, "a mask")
                                                : mask_new(q.rows, pattern_window_size(pattern));
    double *P_wanted = memory_new(n * n, sizeof *P_wanted, "weights");
    double *h_wanted = memory_new(n * (size_t)D, sizeof *h_wanted, "a head's output");
    plain_attention(P_wanted, h_wanted, mask, q, k, v);
    assert_masked(P, mask, q.rows);
    assert_close("P", P, P_wanted, n * n, 2e-6);
    for (int i = 0; i < q.rows; i++)
        assert_close("h", ROW(layer->keep.mixed, layer->start[sequence] + i, H * D) + head * D,
                     h_wanted + (ptrdiff_t)i * D, (size_t)D, 1e-5);
    free(mask);
    free(P_wanted);
    free(h_wanted);
}

/* ---- The page's heads: windows 1, 2, 3 and 4, each as wide as the model ---- */

enum { MODEL = 128 };

static const Pattern page_patterns[] = {W(1), W(2), W(3), W(4)};

/* Over its 5 random tokens, and over more. */
static AttentionLayer page_layer(int tokens)
{
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = MODEL, .heads = 4, .head_size = MODEL, .patterns = page_patterns},
        &tokens, 1);
    TorchRandom random = torch_seed(123);
    for (int head = 0; head < 4; head++)
        for (Part part = QUERY; part <= VALUE; part++)
            torch_linear(attention_layer_weight(&layer, part, head, 1), NULL, &random);
    torch_uniform(layer.x, (size_t)tokens * MODEL, &random);
    run_layer(&layer);
    return layer;
}

/* Its figure, stride 3: a token, itself and the two before. And the code that drew it. */
static void the_mask_of_the_page(void **state)
{
    (void)state;
    static const double figure[] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0,
                                    1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    AttentionLayer layer = page_layer(5);
    double *mask = mask_new(5, 3);
    assert_memory_equal(mask, figure, sizeof figure);
    assert_masked(attention_layer_map(&layer, 0, 2).at, figure, 5);
    free(mask);
    attention_layer_free(&layer);
}

static void the_heads_of_the_page(void **state)
{
    (void)state;
    static const int tokens[] = {1, 2, 3, 4, 5, 9, 70};
    for (size_t t = 0; t < sizeof tokens / sizeof *tokens; t++) {
        AttentionLayer layer = page_layer(tokens[t]);
        for (int head = 0; head < 4; head++)
            assert_head(&layer, 0, head);
        attention_layer_free(&layer);
    }
}

/* "Not really attention: a token is represented by its own value, with weight 1", bit for bit. */
static void a_window_of_one_is_the_identity(void **state)
{
    (void)state;
    enum { TOKENS = 70 };
    AttentionLayer layer = page_layer(TOKENS);
    const Matrix v = kept_part(&layer, VALUE, 0, 0);
    Real identity[TOKENS * TOKENS] = {0};
    for (int i = 0; i < TOKENS; i++)
        identity[i * TOKENS + i] = 1;
    assert_memory_equal(attention_layer_map(&layer, 0, 0).at, identity, sizeof identity);
    for (int i = 0; i < TOKENS; i++)
        assert_memory_equal(ROW(layer.keep.mixed, i, 4 * MODEL), v.at + i * v.row_step,
                            MODEL * sizeof(Real));
    attention_layer_free(&layer);
}

/* ---- Around the strips of 32 queries that a thread holds at once ---- */

static const int lengths[] = {1, 31, 32, 33, 64, 100};
static const Pattern patterns[] = {W(1),  W(2),  W(5),    W(31), W(32),
                                   W(33), W(40), W(1000), W(0),  {PATTERN_FULL, 0}};
enum { LENGTHS = sizeof lengths / sizeof *lengths, PATTERNS = sizeof patterns / sizeof *patterns };

static void fill_layer(AttentionLayer *layer)
{
    const size_t C = (size_t)layer->shape.width;
    const size_t columns = 3 * (size_t)layer->shape.heads * (size_t)layer->shape.head_size;
    fill(layer->p.qkv.weight, C * columns, 1);
    fill(layer->p.qkv.bias, columns, 2);
    fill(layer->x, (size_t)layer->batch.rows * C, 3);
}

/* Each window and each length alone: the strip is no larger than these two make it. */
static void a_head_and_a_sequence_alone(void **state)
{
    (void)state;
    for (int w = 0; w < PATTERNS; w++)
        for (int l = 0; l < LENGTHS; l++) {
            AttentionLayer layer = attention_layer_new(
                (AttentionShape){.width = 6, .heads = 1, .head_size = 5, .patterns = &patterns[w]},
                &lengths[l], 1);
            fill_layer(&layer);
            run_layer(&layer);
            assert_head(&layer, 0, 0);
            attention_layer_free(&layer);
        }
}

/* All patterns side by side over all lengths one after another. */
static void all_heads_and_sequences_at_once(void **state)
{
    (void)state;
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = 6, .heads = PATTERNS, .head_size = 5, .patterns = patterns},
        lengths, LENGTHS);
    fill_layer(&layer);
    run_layer(&layer);
    for (int s = 0; s < LENGTHS; s++)
        for (int h = 0; h < PATTERNS; h++)
            assert_head(&layer, s, h);
    attention_layer_free(&layer);
}

/* ---- How far back a whole model sees: w − 1 tokens in each layer ---- */

enum {
    SEQUENCES = 4,
    ROWS = 1 + 40 + 7 + 33,
    CONTEXT = 40,
    MOST_LAYERS = 3,
    HEADS = 2,
    WIDTH = 12,
    VOCABULARY = 10
};

typedef struct {
    Gpt gpt;
    Batch batch;
    int start[SEQUENCES + 1], tokens[ROWS], positions[ROWS];
} Model;

/* A model over a ragged batch. As it starts, a layer adds so little to the stream that what came
 * through three of them would be lost in rounding: its matrices are made ten times as large. */
static void model_new(Model *model, GptConfig shape)
{
    static const int start[] = {0, 1, 41, 48, 81};
    shape.context = CONTEXT;
    shape.heads = HEADS;
    shape.head_size = 5;
    shape.width = WIDTH;
    shape.hidden = 16;
    shape.vocabulary = VOCABULARY;
    memcpy(model->start, start, sizeof start);
    for (int s = 0; s < SEQUENCES; s++)
        for (int i = start[s]; i < start[s + 1]; i++) {
            model->tokens[i] = i * 7 % VOCABULARY;
            model->positions[i] = i - start[s];
        }
    model->batch = (Batch){.rows = ROWS,
                           .sequences = SEQUENCES,
                           .start = model->start,
                           .tokens = model->tokens,
                           .positions = model->positions};
    model->gpt = gpt_new(&shape, ROWS);
    gpt_init(&model->gpt, 1);
    for (int t = 0; t < model->gpt.tensor_count; t++) {
        const Tensor *tensor = &model->gpt.tensors[t];
        const bool in_layer = tensor->kind == TENSOR_MATRIX && !strncmp(tensor->name, "h.", 2);
        for (int i = 0; in_layer && i < tensor->rows * tensor->cols; i++)
            model->gpt.weight_block[tensor->offset + (size_t)i] *= 10;
    }
}

/* Changes each token in turn. The rows from there to `reach` rows behind it, in the same sequence,
 * are others then; all the rest, those of the other sequences too, have the bits they had.
 * One thread: in so many steps of so few numbers others would be waited for, no more. */
static void assert_reach(GptConfig shape, int reach)
{
    const int threads = thread_limit();
    Model model;
    Real before[ROWS * WIDTH];
    thread_set_limit(1);
    model_new(&model, shape);
    gpt_forward(&model.gpt, &model.batch, NULL, (Dropout){0});
    memcpy(before, model.gpt.keep.normed, sizeof before);
    for (int s = 0; s < SEQUENCES; s++)
        for (int changed = model.start[s]; changed < model.start[s + 1]; changed++) {
            const int token = model.tokens[changed];
            model.tokens[changed] = (token + 1) % VOCABULARY;
            gpt_forward(&model.gpt, &model.batch, NULL, (Dropout){0});
            model.tokens[changed] = token;
            for (int i = 0; i < ROWS; i++) {
                const bool sees = i >= changed && i - changed <= reach && i < model.start[s + 1];
                const bool same =
                    !memcmp(ROW(before, i, WIDTH), ROW(model.gpt.keep.normed, i, WIDTH),
                            WIDTH * sizeof(Real));
                if (same == sees)
                    fail_msg("row %d should%s see row %d, with %d layers", i, sees ? "" : " not",
                             changed, shape.layers);
            }
        }
    gpt_free(&model.gpt);
    thread_set_limit(threads);
}

/* All heads see three tokens: the reach is L·(3 − 1). In one layer the fourth word learns
 * nothing of the first, not "indirectly" either; in two it does. */
static void reach_of_windows_of_three(bool post_norm, bool learned_positions)
{
    static const Pattern three[MOST_LAYERS * HEADS] = {W(3), W(3), W(3), W(3), W(3), W(3)};
    for (int layers = 1; layers <= MOST_LAYERS; layers++)
        assert_reach((GptConfig){.layers = layers,
                                 .patterns = three,
                                 .post_norm = post_norm,
                                 .learned_positions = learned_positions},
                     layers * (3 - 1));
}

static void the_reach_of_a_pre_norm_model(void **state)
{
    (void)state;
    reach_of_windows_of_three(false, true);
}

static void the_reach_of_a_post_norm_model(void **state)
{
    (void)state;
    reach_of_windows_of_three(true, false);
}

/* The widest window of each layer counts, and each layer has windows of its own. */
static const Pattern unlike[] = {W(1), W(3), W(2), W(35), W(4), W(1)};

static void the_reach_of_unlike_windows(void **state)
{
    (void)state;
    static const Pattern narrow[] = {W(1), W(3), W(2), W(4), W(5), W(1)};
    assert_reach((GptConfig){.layers = 3, .patterns = narrow}, 2 + 3 + 4);
    assert_reach((GptConfig){.layers = 2, .patterns = unlike, .post_norm = true}, 2 + 34);
}

static void windows_of_one_see_nothing_else(void **state)
{
    (void)state;
    static const Pattern one[] = {W(1), W(1), W(1), W(1)};
    assert_reach((GptConfig){.layers = 2, .patterns = one}, 0);
}

static void a_window_of_none_sees_all(void **state)
{
    (void)state;
    static const Pattern none[] = {W(1), W(0)};
    assert_reach((GptConfig){.layers = 1, .patterns = none}, CONTEXT);
    assert_reach((GptConfig){.layers = 1}, CONTEXT);
}

/* The weights that a model gives out: each layer's under its own windows. */
static void the_weights_of_a_model(void **state)
{
    (void)state;
    Model model;
    model_new(&model, (GptConfig){.layers = MOST_LAYERS, .patterns = unlike});
    const size_t map = attention_map_size(&model.batch, SEQUENCES, HEADS);
    Real *maps = memory_new(MOST_LAYERS * map, sizeof *maps, "all maps");
    gpt_forward(&model.gpt, &model.batch, maps, (Dropout){0});
    for (int l = 0; l < MOST_LAYERS; l++)
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                const int length = model.start[s + 1] - model.start[s];
                double *mask = mask_new(length, pattern_window_size(unlike[l * HEADS + h]));
                assert_masked(map_of(maps + (size_t)l * map, &model.batch, HEADS, s, h).at, mask,
                              length);
                free(mask);
            }
    free(maps);
    gpt_free(&model.gpt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_of_the_page),
        cmocka_unit_test(the_heads_of_the_page),
        cmocka_unit_test(a_window_of_one_is_the_identity),
        cmocka_unit_test(a_head_and_a_sequence_alone),
        cmocka_unit_test(all_heads_and_sequences_at_once),
        cmocka_unit_test(the_reach_of_a_pre_norm_model),
        cmocka_unit_test(the_reach_of_a_post_norm_model),
        cmocka_unit_test(the_reach_of_unlike_windows),
        cmocka_unit_test(windows_of_one_see_nothing_else),
        cmocka_unit_test(a_window_of_none_sees_all),
        cmocka_unit_test(the_weights_of_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
