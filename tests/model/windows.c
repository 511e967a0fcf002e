/* windows.c: heads of every pattern against masks, and what reaches a query through a whole
 * model. */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/test.h"
#include "tests/helpers/patterns.h"

#include "base/parallel/threads.h"
#include "model/gpt.h"
#include "model/matrix/matrix.h"

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

/* The map and the output of a head of a sequence, by the definition. */
static void assert_head(const AttentionLayer *layer, int sequence, int head)
{
    const int H = layer->attention.shape.heads, D = layer->attention.shape.head_size;
    const Pattern pattern = layer->attention.shape.patterns[head];
    const Matrix q = kept_part(layer, QUERY, sequence, head),
                 k = kept_part(layer, KEY, sequence, head);
    const Matrix v = kept_part(layer, VALUE, sequence, head);
    const Real *P = attention_layer_map(layer, sequence, head).at;
    const size_t n = (size_t)q.rows;
    AUTOFREE double *mask = memory_new(n * n, sizeof *mask, "a mask");
    for (int i = 0; i < q.rows * q.rows; i++)
        mask[i] = !pattern_attends(pattern, i / q.rows, i % q.rows, layer->prefix[sequence]);
    AUTOFREE double *P_wanted = memory_new(n * n, sizeof *P_wanted, "weights");
    AUTOFREE double *h_wanted = memory_new(n * (size_t)D, sizeof *h_wanted, "a head's output");
    plain_attention(P_wanted, h_wanted, mask, q, k, v);
    assert_masked(P, mask, q.rows);
    assert_close("P", P, P_wanted, n * n, 2e-6);
    for (int i = 0; i < q.rows; i++)
        assert_close("h",
                     ROW(layer->attention.keep.mixed, layer->start[sequence] + i, H * D) + head * D,
                     h_wanted + (ptrdiff_t)i * D, (size_t)D, 1e-5);
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
TEST(one_head_and_one_sequence)
{
    for (int w = 0; w < PATTERNS; w++)
        for (int l = 0; l < LENGTHS; l++) {
            FREED_BY(attention_layer_free)
            AttentionLayer layer = attention_layer_new(
                (AttentionShape){.width = 6, .heads = 1, .head_size = 5, .patterns = &patterns[w]},
                &lengths[l], 1);
            fill_layer(&layer);
            for (int share = 0; share <= 3; share++) {
                layer.prefix[0] = lengths[l] * share / 3;
                attention_layer_run(&layer, layer.x);
                assert_head(&layer, 0, 0);
            }
        }
}

/* All patterns side by side, over sequences of all lengths. */
TEST(all_patterns_and_lengths_at_once)
{
    FREED_BY(attention_layer_free)
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = 6, .heads = PATTERNS, .head_size = 5, .patterns = patterns},
        lengths, LENGTHS);
    fill_layer(&layer);
    for (int s = 0; s < LENGTHS; s++)
        layer.prefix[s] = s % 3 * lengths[s] / 2;
    attention_layer_run(&layer, layer.x);
    for (int s = 0; s < LENGTHS; s++)
        for (int h = 0; h < PATTERNS; h++)
            assert_head(&layer, s, h);
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
    config.key_heads = config.heads;
    config.norm_epsilon = 1e-5;
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
TEST(a_token_reaches_what_the_patterns_let_it)
{
    assert_reach_of_lists(false, true, 0);
    assert_reach_of_lists(false, true, 10);
    assert_reach_of_lists(false, true, CONTEXT);
    assert_reach_of_lists(true, false, 10);
}
