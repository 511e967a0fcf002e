/* windows.c: heads of every pattern against masks: for windows, the one that a published page on
 * sparse attention builds; and what reaches a query through a whole model. */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/close.h"
#include "tests/helpers/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "model/gpt.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/torch_random.h"

/* ---- The page's own computation, in double precision ---- */

/* Its function `masking`, step by step: 0 for the keys that a query attends to, else 1. A window of
 * 0 is causal. The caller frees it. */
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

/* The mask of any pattern and prefix, by definition. */
static double *mask_of(Pattern pattern, int n, int prefix)
{
    if (pattern.kind <= PATTERN_WINDOW && !prefix)
        return mask_new(n, pattern.size);
    double *mask = memory_new((size_t)n * (size_t)n, sizeof *mask, "a mask");
    for (int i = 0; i < n * n; i++)
        mask[i] = !pattern_attends(pattern, i / n, i % n, prefix);
    return mask;
}

/* P (n, n) and h (n, D) of one head: the scores of all pairs, masked ones set to −1e9, and the
 * softmax of whole rows. */
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
    const size_t strip = layer->attention.work.strip_size;
    for (size_t thread = 0; thread < (size_t)thread_limit(); thread++)
        for (size_t i = 0; i < strip; i++)
            layer->attention.work.strips[(3 * thread + 1) * strip + i] = untouched;
    attention_layer_run(layer, layer->x);
    for (size_t thread = 0; thread < (size_t)thread_limit(); thread++)
        for (size_t i = 0; i < strip; i++)
            assert_true(layer->attention.work.strips[(3 * thread + 1) * strip + i] == untouched);
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

/* The map and the output of a head of a sequence, against the page's. */
static void assert_head(const AttentionLayer *layer, int sequence, int head)
{
    const int H = layer->attention.shape.heads, D = layer->attention.shape.head_size;
    const Pattern pattern = layer->attention.shape.patterns[head];
    const Matrix q = kept_part(layer, QUERY, sequence, head),
                 k = kept_part(layer, KEY, sequence, head);
    const Matrix v = kept_part(layer, VALUE, sequence, head);
    const Real *P = attention_layer_map(layer, sequence, head).at;
    const size_t n = (size_t)q.rows;
    double *mask = mask_of(pattern, q.rows, layer->prefix[sequence]);
    double *P_wanted = memory_new(n * n, sizeof *P_wanted, "weights");
    double *h_wanted = memory_new(n * (size_t)D, sizeof *h_wanted, "a head's output");
    plain_attention(P_wanted, h_wanted, mask, q, k, v);
    assert_masked(P, mask, q.rows);
    assert_close("P", P, P_wanted, n * n, 2e-6);
    for (int i = 0; i < q.rows; i++)
        assert_close("h",
                     ROW(layer->attention.keep.mixed, layer->start[sequence] + i, H * D) + head * D,
                     h_wanted + (ptrdiff_t)i * D, (size_t)D, 1e-5);
    free(mask);
    free(P_wanted);
    free(h_wanted);
}

/* ---- The page's heads: windows 1, 2, 3 and 4, each as wide as the model ---- */

enum { MODEL = 128 };

static const Pattern page_patterns[] = {W(1), W(2), W(3), W(4)};

/* Over random tokens; the page has 5. */
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

/* Its figure for stride 3, a token and the two before it, and the code that drew it. */
static void a_window_masks_as_the_page_does(void **state)
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

static void heads_compute_as_the_page_does(void **state)
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
        assert_memory_equal(ROW(layer.attention.keep.mixed, i, 4 * MODEL), v.at + i * v.row_step,
                            MODEL * sizeof(Real));
    attention_layer_free(&layer);
}

/* ---- Around the strips of 32 queries that a thread holds at once ---- */

static const int lengths[] = {1, 31, 32, 33, 64, 100};
static const Pattern patterns[] = {
    W(1),           W(2),          W(5),          W(31),         W(32),          W(33),
    W(40),          W(1000),       W(0),          STRIDED(1),    STRIDED(2),     STRIDED(7),
    STRIDED(40),    STRIDED(1000), FIXED(1),      FIXED(3),      FIXED(32),      FIXED(45),
    FIXED(1000),    SUMMARY(1, 1), SUMMARY(4, 1), SUMMARY(5, 3), SUMMARY(33, 2), SUMMARY(1000, 5),
    SUMMARY(64, 64)};
enum { LENGTHS = sizeof lengths / sizeof *lengths, PATTERNS = sizeof patterns / sizeof *patterns };

static void fill_layer(AttentionLayer *layer)
{
    const size_t C = (size_t)layer->attention.shape.width;
    const size_t columns =
        3 * (size_t)layer->attention.shape.heads * (size_t)layer->attention.shape.head_size;
    fill(layer->attention.p.qkv.weight, C * columns, 1);
    fill(layer->attention.p.qkv.bias, columns, 2);
    fill(layer->x, (size_t)layer->batch.rows * C, 3);
}

/* Each pattern and each length by itself: then the strip has no more than the size that they need.
 * A prefix of some tokens, or of all. */
static void one_head_and_one_sequence(void **state)
{
    (void)state;
    for (int w = 0; w < PATTERNS; w++)
        for (int l = 0; l < LENGTHS; l++) {
            AttentionLayer layer = attention_layer_new(
                (AttentionShape){.width = 6, .heads = 1, .head_size = 5, .patterns = &patterns[w]},
                &lengths[l], 1);
            fill_layer(&layer);
            for (int share = 0; share <= 3; share++) {
                layer.prefix[0] = lengths[l] * share / 3;
                run_layer(&layer);
                assert_head(&layer, 0, 0);
            }
            attention_layer_free(&layer);
        }
}

/* All patterns side by side, over sequences of all lengths. */
static void all_patterns_and_lengths_at_once(void **state)
{
    (void)state;
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = 6, .heads = PATTERNS, .head_size = 5, .patterns = patterns},
        lengths, LENGTHS);
    fill_layer(&layer);
    for (int s = 0; s < LENGTHS; s++)
        layer.prefix[s] = s % 3 * lengths[s] / 2;
    run_layer(&layer);
    for (int s = 0; s < LENGTHS; s++)
        for (int h = 0; h < PATTERNS; h++)
            assert_head(&layer, s, h);
    attention_layer_free(&layer);
}

/* ---- What reaches a query through a whole model ---- */

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
    int start[SEQUENCES + 1], prefix[SEQUENCES], tokens[ROWS];
} Model;

/* A model over a ragged batch whose sequences have a prefix of this length, or all of it. With its
 * starting weights, a layer adds so little to the stream that what comes through three of them
 * would be lost in rounding, so they are made ten times as large. */
static void model_new(Model *model, GptConfig config, int prefix)
{
    static const int start[] = {0, 1, 41, 48, 81};
    config.context = CONTEXT;
    config.heads = HEADS;
    config.head_size = 5;
    config.width = WIDTH;
    config.hidden = 16;
    config.vocabulary = VOCABULARY;
    memcpy(model->start, start, sizeof start);
    for (int s = 0; s < SEQUENCES; s++)
        model->prefix[s] = min_int(prefix, start[s + 1] - start[s]);
    for (int i = 0; i < ROWS; i++)
        model->tokens[i] = i * 7 % VOCABULARY;
    model->batch = (Batch){.rows = ROWS,
                           .sequences = SEQUENCES,
                           .start = model->start,
                           .tokens = model->tokens,
                           .prefix = model->prefix};
    model->gpt = gpt_new(&config, ROWS);
    gpt_init(&model->gpt, 1);
    for (int t = 0; t < model->gpt.tensor_count; t++) {
        const Tensor *tensor = &model->gpt.tensors[t];
        const bool in_layer = tensor->kind == TENSOR_MATRIX && !strncmp(tensor->name, "h.", 2);
        for (int i = 0; in_layer && i < tensor->rows * tensor->cols; i++)
            model->gpt.weight_block[tensor->offset + (size_t)i] *= 10;
    }
}

/* Whether a row's output may change if the token of another row does. */
static void find_reach(const Model *model, bool reach[ROWS][ROWS])
{
    const GptConfig *config = &model->gpt.config;
    memset(reach, false, sizeof(bool[ROWS][ROWS]));
    for (int s = 0; s < SEQUENCES; s++)
        for (int first = model->start[s], i = first; i < model->start[s + 1]; i++)
            pattern_reach(config->patterns, config->layers, HEADS, i - first, model->prefix[s],
                          reach[i] + first);
}

/* Changes each token in turn: the rows that it reaches change, all of them, and all other rows,
 * also those of other sequences, keep their bits. What is compared is the input of the head, from
 * which the logits are computed. One thread, since more would only wait for each other. */
static void assert_reach(GptConfig config, int prefix)
{
    const int threads = thread_limit();
    Model model;
    Real before[ROWS * WIDTH];
    bool reach[ROWS][ROWS];
    thread_set_limit(1);
    model_new(&model, config, prefix);
    find_reach(&model, reach);
    gpt_forward(&model.gpt, &model.batch, NULL, (Dropout){0});
    memcpy(before, gpt_head_input(&model.gpt), sizeof before);
    for (int changed = 0; changed < ROWS; changed++) {
        const int token = model.tokens[changed];
        model.tokens[changed] = (token + 1) % VOCABULARY;
        gpt_forward(&model.gpt, &model.batch, NULL, (Dropout){0});
        model.tokens[changed] = token;
        for (int i = 0; i < ROWS; i++) {
            const bool same =
                !memcmp(ROW(before, i, WIDTH), ROW(gpt_head_input(&model.gpt), i, WIDTH),
                        WIDTH * sizeof(Real));
            if (same == reach[i][changed])
                fail_msg("row %d should%s depend on row %d, with %d layers and a prefix of %d", i,
                         same ? "" : " not", changed, config.layers, prefix);
        }
    }
    gpt_free(&model.gpt);
    thread_set_limit(threads);
}

/* Two heads a layer; the list repeats as --attend does. */
typedef struct {
    Pattern entries[MOST_LAYERS * HEADS];
    int count;
} List;

static const List LISTS[] = {
    {{W(0)}, 1},
    {{W(1)}, 1},
    {{W(3)}, 1},
    {{STRIDED(3)}, 1},
    {{FIXED(4)}, 1},
    {{SUMMARY(4, 1)}, 1},
    {{SUMMARY(5, 2)}, 1},
    {{W(4), STRIDED(4)}, 2}, /* the two of Child et al. (2019) */
    {{FIXED(4), SUMMARY(4, 1)}, 2},
    {{W(1), W(0)}, 2},
    {{W(1), W(3), W(2), W(4), W(5), W(1)}, 6},
    {{W(2), STRIDED(7), FIXED(3)}, 3},
    {{SUMMARY(6, 2), W(2), STRIDED(5), FIXED(8), W(1)}, 5},
};

static void assert_reach_of_lists(bool post_norm, bool learned_positions, int prefix)
{
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        for (int layers = 1; layers <= MOST_LAYERS; layers++) {
            Pattern list[MOST_LAYERS * HEADS];
            for (int h = 0; h < layers * HEADS; h++)
                list[h] = LISTS[i].entries[h % LISTS[i].count];
            assert_reach((GptConfig){.layers = layers,
                                     .patterns = list,
                                     .norm = post_norm,
                                     .positions = learned_positions},
                         prefix);
        }
}

/* Without a prefix; with one that ends within blocks, strides and windows; and with all tokens. */
static void the_reach_of_a_pre_norm_model(void **state)
{
    (void)state;
    assert_reach_of_lists(false, true, 0);
    assert_reach_of_lists(false, true, 10);
    assert_reach_of_lists(false, true, CONTEXT);
}

static void the_reach_of_a_post_norm_model(void **state)
{
    (void)state;
    assert_reach_of_lists(true, false, 10);
}

/* Windows of w reach w − 1 tokens back in each layer, and the widest of a layer counts. In one
 * layer of windows of three, the fourth word gets nothing from the first, not even "indirectly"; in
 * two it does. */
static const Pattern different[] = {W(1), W(3), W(2), W(35), W(4), W(1)};

static void windows_reach_back_by_the_layer(void **state)
{
    (void)state;
    static const int back[] = {0, 2, 2 + 34, 2 + 34 + 3};
    for (int layers = 1; layers <= MOST_LAYERS; layers++) {
        bool reach[CONTEXT];
        pattern_reach(different, layers, HEADS, CONTEXT - 1, 0, reach);
        for (int i = 0; i < CONTEXT; i++)
            assert_int_equal(reach[i], CONTEXT - 1 - i <= back[layers]);
        assert_reach((GptConfig){.layers = layers, .patterns = different}, 0);
    }
}

/* The weights that a model gives out: each layer's under its own windows. */
static void each_layers_maps_follow_its_own_windows(void **state)
{
    (void)state;
    Model model;
    model_new(&model, (GptConfig){.layers = MOST_LAYERS, .patterns = different}, 0);
    const size_t map = attention_map_size(&model.batch, SEQUENCES, HEADS);
    Real *maps = memory_new(MOST_LAYERS * map, sizeof *maps, "all maps");
    gpt_forward(&model.gpt, &model.batch, maps, (Dropout){0});
    for (int l = 0; l < MOST_LAYERS; l++)
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                const int length = model.start[s + 1] - model.start[s];
                double *mask = mask_of(different[l * HEADS + h], length, 0);
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
        cmocka_unit_test(a_window_masks_as_the_page_does),
        cmocka_unit_test(heads_compute_as_the_page_does),
        cmocka_unit_test(a_window_of_one_is_the_identity),
        cmocka_unit_test(one_head_and_one_sequence),
        cmocka_unit_test(all_patterns_and_lengths_at_once),
        cmocka_unit_test(the_reach_of_a_pre_norm_model),
        cmocka_unit_test(the_reach_of_a_post_norm_model),
        cmocka_unit_test(windows_reach_back_by_the_layer),
        cmocka_unit_test(each_layers_maps_follow_its_own_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
