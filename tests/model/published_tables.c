/* published_tables.c: the tables that the teaching material prints, to the last digit, computed by
 * Pulga's own layers from the same seeds.
 *
 * Most come from the notebook of the attention chapter, which goes from scores without weights to
 * multi-head attention. Two more are the worked example "Hello shiny sun!" and the experiment that
 * shows why scores are divided by √d. */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/close.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "model/layers/attention.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/torch_random.h"

/* Half a unit of the fourth decimal, and some rounding of float32. */
static const double ROUNDING = 5e-7, PRINTED = 0.5e-4 + ROUNDING;

/* "Your journey starts with one step", three numbers for each word. */
enum { WORDS = 6, IN = 3 };
static const Real words[2 * WORDS][IN] = {
    {0.43f, 0.15f, 0.89f},
    {0.55f, 0.87f, 0.66f},
    {0.57f, 0.85f, 0.64f},
    {0.22f, 0.58f, 0.33f},
    {0.77f, 0.25f, 0.10f},
    {0.05f, 0.80f, 0.55f},
    /* again: the notebook's batch of two */
    {0.43f, 0.15f, 0.89f},
    {0.55f, 0.87f, 0.66f},
    {0.57f, 0.85f, 0.64f},
    {0.22f, 0.58f, 0.33f},
    {0.77f, 0.25f, 0.10f},
    {0.05f, 0.80f, 0.55f},
};

/* ---- A layer of attention by itself ---- */

/* For `sequences` of `length` tokens each; and one in which all tokens of a sequence see each
 * other. */
static AttentionLayer layer_new(AttentionShape shape, int sequences, int length)
{
    const int lengths[] = {length, length};
    assert_in_range(sequences, 1, 2);
    return attention_layer_new(shape, lengths, sequences);
}

static AttentionLayer full_layer_new(AttentionShape shape, int sequences, int length)
{
    AttentionLayer layer = layer_new(shape, sequences, length);
    for (int i = 0; i < sequences; i++)
        layer.prefix[i] = length;
    return layer;
}

static Matrix mixed_of(const AttentionLayer *layer)
{
    return matrix(layer->attention.keep.mixed, layer->batch.rows,
                  layer->attention.shape.heads * layer->attention.shape.head_size);
}

/* ---- Matrices ---- */

static Real *element(Matrix m, int i, int j)
{
    return m.at + i * m.row_step + j * m.col_step;
}

/* to = factor · from */
static void put(Matrix to, Matrix from, Real factor)
{
    for (int i = 0; i < to.rows; i++)
        for (int j = 0; j < to.cols; j++)
            *element(to, i, j) = factor * *element(from, i, j);
}

static void put_identity(Matrix to, Real factor)
{
    for (int i = 0; i < to.rows; i++)
        for (int j = 0; j < to.cols; j++)
            *element(to, i, j) = i == j ? factor : 0;
}

/* assert_close() for a matrix that may be a view; wanted lies row by row. */
static void assert_table(const char *what, Matrix got, const double *wanted, double tolerance)
{
    const size_t count = (size_t)got.rows * (size_t)got.cols;
    Real *at = memory_new(count, sizeof *at, "a table");
    put(matrix(at, got.rows, got.cols), got, 1);
    assert_close(what, at, wanted, count, tolerance);
    free(at);
}

/* Keys after the query have exactly 0, and no others. */
static void assert_causal(Matrix P)
{
    for (int i = 0; i < P.rows; i++)
        for (int j = 0; j < P.cols; j++)
            assert_int_equal(*element(P, i, j) != 0, j <= i);
}

/* scores = q·kᵀ of a head of the first sequence, not divided by √D. The caller frees them. */
static Matrix scores_new(const AttentionLayer *layer, int head)
{
    const int length = layer->start[1];
    const size_t count = (size_t)length * (size_t)length;
    const Matrix scores = matrix(memory_new(count, sizeof(Real), "scores"), length, length);
    matmul(scores, matrix_rows(attention_layer_part(layer, QUERY, head), 0, length),
           transposed(matrix_rows(attention_layer_part(layer, KEY, head), 0, length)));
    return scores;
}

/* ---- The generator itself ---- */

static void random_words_are_those_of_torch(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {4053805790, 2173880614, 380293709, 1237255315, 2986595568};
    TorchRandom random = torch_seed(137);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(torch_word(&random), wanted[i]);
}

/* All from one seed, one after another, as PyTorch 2 draws them. */
static void normal_numbers_are_those_of_torch(void **state)
{
    (void)state;
    static const double eight[] = {0.794766426,  1.43693173,  -0.229219213,  0.475563258,
                                   -0.633441091, -0.57919538, -0.0925704762, -0.865919709};
    static const double sixteen[] = {-1.28138781,  -2.64639568,  -0.0656950325, 0.21808295,
                                     -0.465361655, -0.331084102, 2.54854822,    0.104253799,
                                     0.846065998,  0.946244836,  -0.291376501,  0.343138069,
                                     -1.11867046,  -0.183053285, -2.31531596,   0.396198779};
    static const double three[] = {-0.695738137, 1.4449774, -0.241306841};
    static const double two[] = {1.60035813, -2.04150081}; /* the first one was left over */
    static const double twenty[] = {-0.536627412, 0.483894229,  1.28940475,  1.13315523,
                                    -0.819305182, -1.67574716,  -1.5654819,  1.38509881,
                                    1.14752424,   2.30892801,   1.21564972,  -1.04440296,
                                    -0.722436428, -0.586824477, 0.713894844, 0.149446532,
                                    -1.27962458,  0.525707603,  1.04453862,  -0.107066497};
    Real at[20];
    TorchRandom random = torch_seed(137);
    for (int i = 0; i < 5; i++)
        torch_word(&random);
    torch_normal(at, 8, &random);
    assert_close("8 normal numbers", at, eight, 8, ROUNDING);
    assert_int_equal(torch_word(&random), 2186503452);
    torch_normal(at, 16, &random);
    assert_close("16 normal numbers", at, sixteen, 16, ROUNDING);
    assert_int_equal(torch_word(&random) & 0xffffff, 5285324);
    torch_normal(at, 3, &random);
    assert_close("3 normal numbers", at, three, 3, ROUNDING);
    torch_normal(at, 2, &random);
    assert_close("2 normal numbers", at, two, 2, ROUNDING);
    torch_normal(at, 20, &random);
    assert_close("20 normal numbers", at, twenty, 20, ROUNDING);
    assert_int_equal(torch_word(&random) & 0xffffff, 15186018);
}

static void uniform_numbers_are_those_of_torch(void **state)
{
    (void)state;
    static const double W_query[] = {0.2961119, 0.5165623, 0.2516707,
                                     0.6885568, 0.0739725, 0.8665220};
    Real at[6];
    TorchRandom random = torch_seed(123);
    torch_uniform(at, 6, &random);
    assert_close("W_query", at, W_query, 6, 1e-7);
}

static void a_linear_layer_starts_as_that_of_torch(void **state)
{
    (void)state;
    static const double weight[] = {0.1451, 0.2842, 0.0847, -0.5601, 0.1931, -0.4085};
    static const double bias[] = {-0.3493, -0.3262};
    Real w[6], b[2];
    TorchRandom random = torch_seed(137);
    torch_linear(matrix(w, 3, 2), b, &random);
    assert_close("the weight of Linear(3, 2)", w, weight, 6, PRINTED);
    assert_close("the bias of Linear(3, 2)", b, bias, 2, PRINTED);
}

/* ---- Attention without weights: q = k = v = x, and no division by √d ---- */

static const double untrained_scores[WORDS * WORDS] = {
    0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310, 0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865,
    0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605, 0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565,
    0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935, 0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450};

/* The layer divides by √D; queries that are √D times as large undo that. */
static AttentionLayer untrained_layer(int width, int length)
{
    AttentionLayer layer =
        full_layer_new((AttentionShape){.width = width, .heads = 1, .head_size = width}, 1, length);
    put_identity(attention_layer_weight(&layer, QUERY, 0, 1), (Real)sqrt(width));
    put_identity(attention_layer_weight(&layer, KEY, 0, 1), 1);
    put_identity(attention_layer_weight(&layer, VALUE, 0, 1), 1);
    return layer;
}

static void scores_without_weights(void **state)
{
    (void)state;
    static const double by_sum[WORDS] = {0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656};
    static const double by_exp[WORDS] = {0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581};
    Real at[WORDS * WORDS], simple[WORDS], naive[WORDS], sum = 0, exp_sum = 0;
    const Matrix x = matrix(words[0], WORDS, IN), scores = matrix(at, WORDS, WORDS);
    matmul(scores, x, transposed(x));
    assert_table("the scores", scores, untrained_scores, PRINTED);

    /* the two normalisations that the notebook tries for the second word */
    const Real *second = &at[1 * WORDS];
    for (int j = 0; j < WORDS; j++) {
        sum += second[j];
        exp_sum += expf((float)second[j]);
    }
    for (int j = 0; j < WORDS; j++) {
        simple[j] = second[j] / sum;
        naive[j] = expf((float)second[j]) / exp_sum;
    }
    assert_close("scores over their sum", simple, by_sum, WORDS, PRINTED);
    assert_close("the naive softmax", naive, by_exp, WORDS, PRINTED);
}

static void attention_without_weights(void **state)
{
    (void)state;
    static const double weights[] = {0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452, 0.1385, 0.2379,
                                     0.2333, 0.1240, 0.1082, 0.1581, 0.1390, 0.2369, 0.2326, 0.1242,
                                     0.1108, 0.1565, 0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720,
                                     0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295, 0.1385, 0.2184,
                                     0.2128, 0.1420, 0.0988, 0.1896};
    static const double context[] = {0.4421, 0.5931, 0.5790, 0.4419, 0.6515, 0.5683,
                                     0.4431, 0.6496, 0.5671, 0.4304, 0.6298, 0.5510,
                                     0.4671, 0.5910, 0.5266, 0.4177, 0.6503, 0.5645};
    AttentionLayer layer = untrained_layer(IN, WORDS);
    attention_layer_run(&layer, words[0]);
    assert_table("the weights", attention_layer_map(&layer, 0, 0), weights, PRINTED);
    assert_table("the contexts", mixed_of(&layer), context, PRINTED);
    for (int i = 0; i < WORDS; i++) {
        double sum = 0;
        for (int j = 0; j < WORDS; j++)
            sum += (double)*element(attention_layer_map(&layer, 0, 0), i, j);
        assert_close_one("the sum of a row", sum, 1, ROUNDING);
    }
    attention_layer_free(&layer);
}

/* The page computes this one by hand, so its last digits are off; the exact ones are beside
 * them. */
static void hello_shiny_sun(void **state)
{
    (void)state;
    static const Real hello[] = {0.34f, 0.22f, 0.54f, 0.53f, 0.34f, 0.98f, 0.29f, 0.54f, 0.93f};
    static const double weights[] = {0.229134, 0.406265, 0.364602};
    static const double context[] = {0.398960, 0.385424, 0.860951};
    static const double by_hand[] = {0.3992, 0.3858, 0.8610};
    static const double addends[] = {0.0779, 0.0504, 0.1237, 0.2156, 0.1382,
                                     0.3983, 0.1057, 0.1972, 0.3390};
    AttentionLayer layer = untrained_layer(3, 3);
    attention_layer_run(&layer, hello);
    const Matrix P = matrix_rows(attention_layer_map(&layer, 0, 0), 1, 1);
    const Matrix shiny = matrix_rows(mixed_of(&layer), 1, 1);
    assert_table("the weights of \"shiny\"", P, weights, 0.5e-6 + ROUNDING);
    assert_table("the context of \"shiny\"", shiny, context, 0.5e-6 + ROUNDING);
    assert_table("the context worked by hand", shiny, by_hand, 5e-4);
    for (int j = 0; j < 3; j++)
        for (int c = 0; c < 3; c++)
            assert_close_one("a weighted embedding", (double)(*element(P, 0, j) * hello[3 * j + c]),
                             addends[3 * j + c], 5e-4);
    attention_layer_free(&layer);
}

/* ---- One head with weights ---- */

static const AttentionShape one_head = {.width = IN, .heads = 1, .head_size = 2};

/* SelfAttention_v1: torch.rand(d_in, d_out) each, laid out as Pulga's matrices. */
static void start_as_v1(AttentionLayer *layer, TorchRandom *random)
{
    Real at[IN * 2];
    for (Part part = QUERY; part <= VALUE; part++) {
        torch_uniform(at, IN * 2, random);
        put(attention_layer_weight(layer, part, 0, 1), matrix(at, IN, 2), 1);
    }
}

/* SelfAttention_v2, CausalAttention and their wrapper: for each head three nn.Linear without
 * bias. */
static void start_as_heads(AttentionLayer *layer, TorchRandom *random)
{
    for (int head = 0; head < layer->attention.shape.heads; head++)
        for (Part part = QUERY; part <= VALUE; part++)
            torch_linear(attention_layer_weight(layer, part, head, 1), NULL, random);
}

static void the_second_word_with_weights(void **state)
{
    (void)state;
    static const double query[] = {0.4306, 1.4551};
    static const double scores[] = {1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440};
    static const double weights[] = {0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820};
    static const double context[] = {0.3061, 0.8210};
    AttentionLayer layer = full_layer_new(one_head, 1, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_v1(&layer, &random);
    attention_layer_run(&layer, words[0]);
    assert_table("query_2", matrix_rows(attention_layer_part(&layer, QUERY, 0), 1, 1), query,
                 PRINTED);
    const Matrix all = scores_new(&layer, 0);
    assert_close_one("attn_score_22", (double)*element(all, 1, 1), 1.8524, PRINTED);
    assert_table("attn_scores_2", matrix_rows(all, 1, 1), scores, PRINTED);
    assert_table("attn_weights_2", matrix_rows(attention_layer_map(&layer, 0, 0), 1, 1), weights,
                 PRINTED);
    assert_table("context_vec_2", matrix_rows(mixed_of(&layer), 1, 1), context, PRINTED);
    free(all.at);
    attention_layer_free(&layer);
}

static void self_attention_v1(void **state)
{
    (void)state;
    static const double context[] = {0.2996, 0.8053, 0.3061, 0.8210, 0.3058, 0.8203,
                                     0.2948, 0.7939, 0.2927, 0.7891, 0.2990, 0.8040};
    AttentionLayer layer = full_layer_new(one_head, 1, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_v1(&layer, &random);
    attention_layer_run(&layer, words[0]);
    assert_table("SelfAttention_v1", mixed_of(&layer), context, PRINTED);
    attention_layer_free(&layer);
}

static void self_attention_v2_of_seed_789(void **state)
{
    (void)state;
    static const double context[] = {-0.0739, 0.0713, -0.0748, 0.0703, -0.0749, 0.0702,
                                     -0.0760, 0.0685, -0.0763, 0.0679, -0.0754, 0.0693};
    /* the original notebook continues with this seed */
    static const double first[] = {0.1921, 0.1646}, causal[] = {0.5517, 0.4483};
    AttentionLayer layer = full_layer_new(one_head, 1, WORDS);
    TorchRandom random = torch_seed(789);
    start_as_heads(&layer, &random);
    attention_layer_run(&layer, words[0]);
    assert_table("SelfAttention_v2, seed 789", mixed_of(&layer), context, PRINTED);
    const Matrix P = attention_layer_map(&layer, 0, 0);
    assert_table("row 0", matrix_cols(matrix_rows(P, 0, 1), 0, 2), first, PRINTED);
    layer.prefix[0] = 0;
    attention_layer_run(&layer, words[0]);
    assert_table("causal row 1", matrix_cols(matrix_rows(P, 1, 1), 0, 2), causal, PRINTED);
    attention_layer_free(&layer);
}

/* Exercise 3.1: v1 with v2's weights, transposed, gives what v2 gives. Pulga's layer is v1; the
 * three products of v2 are computed here with matrices (out, in), as nn.Linear stores them. */
static void self_attention_v2_in_v1(void **state)
{
    (void)state;
    static const double context[] = {-0.5337, -0.1051, -0.5323, -0.1080, -0.5323, -0.1079,
                                     -0.5297, -0.1076, -0.5311, -0.1066, -0.5299, -0.1081};
    AttentionLayer layer = full_layer_new(one_head, 1, WORDS);
    TorchRandom random = torch_seed(123), again = random;
    start_as_heads(&layer, &random);
    attention_layer_run(&layer, words[0]);
    assert_table("v1 with v2's weights", mixed_of(&layer), context, PRINTED);
    for (Part part = QUERY; part <= VALUE; part++) {
        Real weight[2 * IN], at[WORDS * 2];
        double wanted[WORDS * 2];
        torch_linear(transposed(matrix(weight, 2, IN)), NULL, &again);
        matmul(matrix(at, WORDS, 2), matrix(words[0], WORDS, IN),
               transposed(matrix(weight, 2, IN)));
        for (int i = 0; i < WORDS * 2; i++)
            wanted[i] = (double)at[i];
        assert_table("x·Wᵀ", attention_layer_part(&layer, part, 0), wanted, ROUNDING);
    }
    attention_layer_free(&layer);
}

/* ---- Causal masks ---- */

static const double causal_weights[WORDS * WORDS] = {
    1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000,
    0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000, 0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000,
    0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000, 0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682};

/* The output of SelfAttention_v2 with seed 123. */
static AttentionLayer layer_of_seed_123(bool full, int sequences)
{
    AttentionLayer layer = (full ? full_layer_new : layer_new)(one_head, sequences, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_heads(&layer, &random);
    attention_layer_run(&layer, words[0]);
    return layer;
}

/* The notebook first computes full maps, sets later words to 0 and normalises again. */
static void masking_after_the_softmax(void **state)
{
    (void)state;
    static const double full[] = {0.1717, 0.1762, 0.1761, 0.1555, 0.1627, 0.1579, 0.1636, 0.1749,
                                  0.1746, 0.1612, 0.1605, 0.1652, 0.1637, 0.1749, 0.1746, 0.1611,
                                  0.1606, 0.1651, 0.1636, 0.1704, 0.1702, 0.1652, 0.1632, 0.1674,
                                  0.1667, 0.1722, 0.1721, 0.1618, 0.1633, 0.1639, 0.1624, 0.1709,
                                  0.1706, 0.1654, 0.1625, 0.1682};
    static const double wiped[] = {0.1717, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.1636, 0.1749,
                                   0.0000, 0.0000, 0.0000, 0.0000, 0.1637, 0.1749, 0.1746, 0.0000,
                                   0.0000, 0.0000, 0.1636, 0.1704, 0.1702, 0.1652, 0.0000, 0.0000,
                                   0.1667, 0.1722, 0.1721, 0.1618, 0.1633, 0.0000, 0.1624, 0.1709,
                                   0.1706, 0.1654, 0.1625, 0.1682};
    AttentionLayer layer = layer_of_seed_123(true, 1);
    const Matrix P = attention_layer_map(&layer, 0, 0);
    assert_table("attn_weights", P, full, PRINTED);
    for (int i = 0; i < WORDS; i++)
        for (int j = i + 1; j < WORDS; j++)
            *element(P, i, j) = 0;
    assert_table("masked_simple", P, wiped, PRINTED);
    for (int i = 0; i < WORDS; i++) {
        Real sum = 0;
        for (int j = 0; j < WORDS; j++)
            sum += *element(P, i, j);
        put(matrix_rows(P, i, 1), matrix_rows(P, i, 1), 1 / sum);
    }
    assert_table("masked_simple_norm", P, causal_weights, PRINTED);
    attention_layer_free(&layer);
}

/* Then it masks their scores, as Pulga does. mask_simple, ones up to the diagonal, is where the map
 * is not 0; −inf is where it is. */
static void masking_before_the_softmax(void **state)
{
    (void)state;
    const double inf = INFINITY;
    const double masked[WORDS][WORDS] = {
        {0.3111, -inf, -inf, -inf, -inf, -inf},
        {0.1655, 0.2602, -inf, -inf, -inf, -inf},
        {0.1667, 0.2602, 0.2577, -inf, -inf, -inf},
        {0.0510, 0.1080, 0.1064, 0.0643, -inf, -inf},
        {0.1415, 0.1875, 0.1863, 0.0987, 0.1121, -inf},
        {0.0476, 0.1192, 0.1171, 0.0731, 0.0477, 0.0966},
    };
    AttentionLayer layer = layer_of_seed_123(false, 1);
    const Matrix P = attention_layer_map(&layer, 0, 0), scores = scores_new(&layer, 0);
    assert_table("attn_weights", P, causal_weights, PRINTED);
    assert_causal(P);
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++)
            if (*element(P, i, j) == 0)
                assert_true(isinf(masked[i][j]));
            else
                assert_close_one("a masked score", (double)*element(scores, i, j), masked[i][j],
                                 PRINTED);
    free(scores.at);
    attention_layer_free(&layer);
}

static void dropout_of_the_maps(void **state)
{
    (void)state;
    static const double dropped_ones[WORDS * WORDS] = {2, 2, 0, 2, 2, 0, 0, 0, 0, 2, 0, 2,
                                                       2, 2, 2, 2, 0, 2, 0, 2, 2, 0, 0, 2,
                                                       0, 2, 0, 2, 0, 2, 0, 2, 2, 2, 2, 0};
    static const double dropped[WORDS * WORDS] = {
        2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000,
        0.0000, 0.0000, 0.0000, 0.6380, 0.6816, 0.6804, 0.0000, 0.0000, 0.0000,
        0.0000, 0.5090, 0.5085, 0.0000, 0.0000, 0.0000, 0.0000, 0.4120, 0.0000,
        0.3869, 0.0000, 0.0000, 0.0000, 0.3418, 0.3413, 0.3308, 0.3249, 0.0000};
    AttentionLayer layer = layer_of_seed_123(false, 1);
    const Matrix P = attention_layer_map(&layer, 0, 0);
    Real mask[WORDS * WORDS];
    TorchRandom random = torch_seed(123);
    torch_dropout(mask, WORDS * WORDS, 0.5, &random);
    assert_close("dropout(example)", mask, dropped_ones, WORDS * WORDS, 0);
    for (int i = 0; i < WORDS * WORDS; i++)
        P.at[i] *= mask[i];
    assert_table("dropout(attn_weights)", P, dropped, PRINTED);
    attention_layer_free(&layer);
}

/* Pulga's own dropout draws other numbers, but multiplies by the same two. */
static void dropout_multiplies_with_the_same(void **state)
{
    (void)state;
    Real ones[WORDS * WORDS];
    int kept = 0;
    for (int i = 0; i < WORDS * WORDS; i++)
        ones[i] = 1;
    dropout_apply(ones, &(Batch){.rows = WORDS}, WORDS, RANDOM_DROP_MIXED, 0,
                  (Dropout){.rate = 0.5, .seed = 123});
    for (int i = 0; i < WORDS * WORDS; i++) {
        assert_true(ones[i] == 0 || ones[i] == 2);
        kept += ones[i] == 2;
    }
    assert_in_range(kept, 6, 30); /* 18 is expected, four deviations of 3 are allowed */
}

/* ---- Several heads ---- */

/* The wrapper's output; its first two columns are CausalAttention's. */
static const double two_heads[2 * WORDS * 4] = {
    -0.4519, 0.2216,  0.4772, 0.1063, -0.5874, 0.0058,  0.5891, 0.3257,
    -0.6300, -0.0632, 0.6202, 0.3860, -0.5675, -0.0843, 0.5478, 0.3589,
    -0.5526, -0.0981, 0.5321, 0.3428, -0.5299, -0.1081, 0.5077, 0.3493,

    -0.4519, 0.2216,  0.4772, 0.1063, -0.5874, 0.0058,  0.5891, 0.3257,
    -0.6300, -0.0632, 0.6202, 0.3860, -0.5675, -0.0843, 0.5478, 0.3589,
    -0.5526, -0.0981, 0.5321, 0.3428, -0.5299, -0.1081, 0.5077, 0.3493};

/* The notebook prints only its shape, (2, 6, 2). Its values are the wrapper's. */
static void causal_attention(void **state)
{
    (void)state;
    AttentionLayer layer = layer_of_seed_123(false, 2);
    const Matrix context = mixed_of(&layer);
    double wanted[2 * WORDS * 2];
    for (int i = 0; i < 2 * WORDS; i++)
        for (int j = 0; j < 2; j++)
            wanted[2 * i + j] = two_heads[4 * i + j];
    assert_int_equal(context.rows, 2 * 6);
    assert_int_equal(context.cols, 2);
    assert_table("CausalAttention", context, wanted, PRINTED);
    attention_layer_free(&layer);
}

/* Exercise 3.2 sets no seed: its weights are drawn after the wrapper's. */
static void two_heads_and_exercise_3_2(void **state)
{
    (void)state;
    static const double narrow[2 * WORDS * 2] = {0.0189, 0.2729, 0.2181, 0.3037, 0.2804, 0.3125,
                                                 0.2830, 0.2793, 0.2476, 0.2541, 0.2748, 0.2513,

                                                 0.0189, 0.2729, 0.2181, 0.3037, 0.2804, 0.3125,
                                                 0.2830, 0.2793, 0.2476, 0.2541, 0.2748, 0.2513};
    TorchRandom random = torch_seed(123);
    AttentionLayer wrapper =
        layer_new((AttentionShape){.width = IN, .heads = 2, .head_size = 2}, 2, WORDS);
    start_as_heads(&wrapper, &random);
    attention_layer_run(&wrapper, words[0]);
    assert_table("MultiHeadAttentionWrapper", mixed_of(&wrapper), two_heads, PRINTED);
    attention_layer_free(&wrapper);

    AttentionLayer exercise =
        layer_new((AttentionShape){.width = IN, .heads = 2, .head_size = 1}, 2, WORDS);
    start_as_heads(&exercise, &random);
    attention_layer_run(&exercise, words[0]);
    assert_table("exercise 3.2", mixed_of(&exercise), narrow, PRINTED);
    attention_layer_free(&exercise);
}

/* MultiHeadAttention: three linear layers for all heads at once and a fourth one after them, the
 * only one with a bias. Its output is as wide as the heads; Pulga's is as wide as x: if that is
 * wider, the other columns stay 0. */
static void start_as_multi_head(AttentionLayer *layer, TorchRandom *random)
{
    const int H = layer->attention.shape.heads, HD = H * layer->attention.shape.head_size,
              C = layer->attention.shape.width;
    for (Part part = QUERY; part <= VALUE; part++)
        torch_linear(attention_layer_weight(layer, part, 0, H), NULL, random);
    torch_linear(matrix_cols(matrix(layer->attention.p.out.weight, HD, C), 0, HD),
                 layer->attention.p.out.bias, random);
}

static const AttentionShape two_narrow_heads = {.width = IN, .heads = 2, .head_size = 1};

static void multi_head_attention(void **state)
{
    (void)state;
    static const double weight[] = {-0.166758, 0.226973, 0.500026, 0.131738}; /* (out, in) */
    static const double bias[] = {0.193359, 0.682541, 0};
    static const double context[2 * WORDS * 2] = {0.3190, 0.4858, 0.2943, 0.3897, 0.2856, 0.3593,
                                                  0.2693, 0.3873, 0.2639, 0.3928, 0.2575, 0.4028,

                                                  0.3190, 0.4858, 0.2943, 0.3897, 0.2856, 0.3593,
                                                  0.2693, 0.3873, 0.2639, 0.3928, 0.2575, 0.4028};
    AttentionLayer layer = layer_new(two_narrow_heads, 2, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_multi_head(&layer, &random);
    const Matrix out_proj = matrix_cols(matrix(layer.attention.p.out.weight, 2, IN), 0, 2);
    assert_table("out_proj.weight", transposed(out_proj), weight, 1e-6);
    assert_close("out_proj.bias", layer.attention.p.out.bias, bias, 3, 1e-6);
    attention_layer_run(&layer, words[0]);
    assert_table("MultiHeadAttention", matrix_cols(matrix(layer.y, 2 * WORDS, IN), 0, 2), context,
                 PRINTED);
    attention_layer_free(&layer);
}

/* ---- Exercise 3.3: the size of GPT-2 ---- */

enum { SEQUENCES = 2, T = 1024, C = 768, H = 12, D = C / H };

typedef struct {
    AttentionLayer layer;
    Real *x; /* (SEQUENCES · T, C) */
} Large;

/* Again without a seed: its weights are drawn after MultiHeadAttention's, then a random batch. */
static int large_new(void **state)
{
    Large *large = memory_new(1, sizeof *large, "exercise 3.3");
    TorchRandom random = torch_seed(123);
    AttentionLayer before = layer_new(two_narrow_heads, 2, WORDS);
    start_as_multi_head(&before, &random);
    attention_layer_free(&before);

    large->layer =
        layer_new((AttentionShape){.width = C, .heads = H, .head_size = D}, SEQUENCES, T);
    start_as_multi_head(&large->layer, &random);
    large->x = memory_new((size_t)SEQUENCES * T * C, sizeof(Real), "a random batch");
    torch_normal(large->x, (size_t)SEQUENCES * T * C, &random);
    attention_layer_run(&large->layer, large->x);
    *state = large;
    return 0;
}

static int large_free(void **state)
{
    Large *large = *state;
    attention_layer_free(&large->layer);
    free(large->x);
    free(large);
    return 0;
}

/* The first and last three rows of both sequences, the first and last three columns of each. The
 * notebook's output ends in the tenth row; the rest was computed with PyTorch. */
static void exercise_3_3_prints(void **state)
{
    static const int rows[] = {0, 1, 2, T - 3, T - 2, T - 1};
    static const int cols[] = {0, 1, 2, C - 3, C - 2, C - 1};
    static const double printed[SEQUENCES][6][6] = {
        {{2.5606e-01, -5.9930e-02, 3.9847e-01, 2.4789e-01, 1.8914e-01, -1.3538e-01},
         {2.7349e-01, 2.0641e-01, 1.9273e-01, 2.1027e-01, 1.5678e-01, -4.5343e-01},
         {3.3144e-02, 1.0040e-01, 7.7156e-02, -3.8450e-02, -1.1032e-01, -4.1691e-01},
         {-2.5707e-02, -6.9448e-03, 1.0252e-02, 3.4811e-02, -1.6675e-03, -3.0555e-02},
         {-3.2742e-02, -4.4450e-03, -7.9055e-04, 3.0958e-02, -8.3340e-03, -3.2058e-02},
         {-3.0148e-02, -1.3552e-03, -3.0732e-04, 2.4457e-02, -1.4528e-02, -3.3910e-02}},
        {{3.2940e-01, -1.7189e-01, -4.2380e-01, 1.5147e-01, -3.5167e-01, -4.5434e-01},
         {-5.7646e-02, 8.6548e-02, -3.5733e-01, -1.3894e-01, -2.9612e-01, -1.3889e-01},
         {1.7297e-01, 8.9216e-02, 3.5174e-02, -1.9757e-01, -3.0677e-01, -1.6127e-01},
         {-2.5912e-02, -2.0461e-02, 1.1347e-02, 3.5594e-02, -9.6283e-03, -2.0108e-02},
         {-1.8153e-02, -1.7910e-02, 1.6418e-02, 3.9557e-02, -5.9492e-03, -1.1958e-02},
         {-1.9344e-02, -2.1127e-02, 1.8900e-02, 2.8129e-02, -8.4774e-04, -2.6402e-02}},
    };
    const Large *large = *state;
    for (int s = 0; s < SEQUENCES; s++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                const double wanted = printed[s][r][c];
                const double digit = pow(10, floor(log10(fabs(wanted))) - 4);
                const double got = (double)ROW(large->layer.y, s * T + rows[r], C)[cols[c]];
                assert_close_one("exercise 3.3", got, wanted, 0.5 * digit + ROUNDING);
            }
}

static void exercise_3_3_maps(void **state)
{
    const Large *large = *state;
    for (int i = 0; i < SEQUENCES * T * C; i++)
        assert_true(isfinite(large->layer.y[i]));
    for (int row = 0; row < SEQUENCES * H * T; row++) {
        const Real *P = ROW(large->layer.maps, row, T);
        const int query = row % T;
        double sum = 0;
        for (int j = 0; j <= query; j++)
            sum += (double)P[j];
        assert_close_one("the sum of a row", sum, 1, 1e-5);
        for (int j = query + 1; j < T; j++)
            assert_true(P[j] == 0);
    }
}

/* If the last token of the first sequence changes, all before it and the second sequence keep their
 * bits. */
static void exercise_3_3_is_causal(void **state)
{
    Large *large = *state;
    AttentionLayer *layer = &large->layer;
    const size_t count = (size_t)SEQUENCES * T * C;
    Real *x = memory_new(count, sizeof *x, "another batch");
    Real *y = memory_new(count, sizeof *y, "another output");
    memcpy(x, large->x, count * sizeof *x);
    fill(ROW(x, T - 1, C), C, 3);
    attention_forward(y, NULL, &layer->attention, x, &layer->batch, (Dropout){0});
    const size_t row = C * sizeof *y;
    assert_memory_equal(y, layer->y, (T - 1) * row);
    assert_memory_not_equal(ROW(y, T - 1, C), ROW(layer->y, T - 1, C), row);
    assert_memory_equal(ROW(y, T, C), ROW(layer->y, T, C), (SEQUENCES - 1) * T * row);
    free(x);
    free(y);
}

/* mixed (D) of one query and head in double precision, computed another way: the scores are
 * (q·Wkᵀ)·xᵀ and the output is (P·x)·Wv, without keys and values. */
static void plain_head(double *mixed, const AttentionLayer *layer, const Real *x, int query,
                       int head)
{
    const Matrix Wq = attention_layer_weight(layer, QUERY, head, 1),
                 Wk = attention_layer_weight(layer, KEY, head, 1);
    const Matrix Wv = attention_layer_weight(layer, VALUE, head, 1);
    double q[D] = {0}, seeks[C] = {0}, P[T], gathered[C] = {0}, top = -INFINITY, sum = 0;
    for (int c = 0; c < C; c++)
        for (int d = 0; d < D; d++)
            q[d] += (double)ROW(x, query, C)[c] * (double)*element(Wq, c, d);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < D; d++)
            seeks[c] += q[d] * (double)*element(Wk, c, d) / sqrt(D);
    for (int j = 0; j <= query; j++) {
        P[j] = 0;
        for (int c = 0; c < C; c++)
            P[j] += seeks[c] * (double)ROW(x, j, C)[c];
        top = fmax(top, P[j]);
    }
    for (int j = 0; j <= query; j++)
        sum += P[j] = exp(P[j] - top);
    for (int j = 0; j <= query; j++)
        for (int c = 0; c < C; c++)
            gathered[c] += P[j] / sum * (double)ROW(x, j, C)[c];
    for (int d = 0; d < D; d++)
        mixed[d] = 0;
    for (int c = 0; c < C; c++)
        for (int d = 0; d < D; d++)
            mixed[d] += gathered[c] * (double)*element(Wv, c, d);
}

static void exercise_3_3_in_double_precision(void **state)
{
    static const int rows[] = {0, 1, 31, 32, 517, T - 1};
    const Large *large = *state;
    const AttentionLayer *layer = &large->layer;
    for (int s = 0; s < SEQUENCES; s++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            double mixed[C], y[C];
            for (int h = 0; h < H; h++)
                plain_head(mixed + h * D, layer, ROW(large->x, s * T, C), rows[r], h);
            for (int c = 0; c < C; c++) {
                y[c] = (double)layer->attention.p.out.bias[c];
                for (int i = 0; i < C; i++)
                    y[c] += mixed[i] * (double)ROW(layer->attention.p.out.weight, i, C)[c];
            }
            assert_close("a row of exercise 3.3", ROW(layer->y, s * T + rows[r], C), y, C, 1e-5);
        }
}

/* ---- Why scores are divided by √d ---- */

enum { BATCHES = 10, TOKENS = 10, WIDE = 5000, SCORES = BATCHES * TOKENS * TOKENS };

static double variance(const Real *at, size_t count)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += (double)at[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += ((double)at[i] - mean) * ((double)at[i] - mean);
    return sum / (double)(count - 1);
}

static double mean_of_highest(Matrix P)
{
    double sum = 0;
    for (int i = 0; i < P.rows; i++) {
        Real highest = *element(P, i, 0);
        for (int j = 1; j < P.cols; j++)
            highest = *element(P, i, j) > highest ? *element(P, i, j) : highest;
        sum += (double)highest;
    }
    return sum / P.rows;
}

/* One batch: its scores, and the mean of the rows' highest probabilities before and after the
 * division. x is the identity, so that Wqkv's rows are the tokens' queries and keys; to undo the
 * division, the queries are √WIDE times as large. */
static void try_batch(AttentionLayer *layer, const Real *Q, const Real *K, Real *scores,
                      double *before, double *after)
{
    Real x[TOKENS * TOKENS];
    const Matrix queries = matrix(Q, TOKENS, WIDE), keys = matrix(K, TOKENS, WIDE);
    matmul(matrix(scores, TOKENS, TOKENS), queries, transposed(keys));
    put_identity(matrix(x, TOKENS, TOKENS), 1);
    put(attention_layer_weight(layer, KEY, 0, 1), keys, 1);
    put(attention_layer_weight(layer, QUERY, 0, 1), queries, (Real)sqrt(WIDE));
    attention_layer_run(layer, x);
    *before += mean_of_highest(attention_layer_map(layer, 0, 0)) / BATCHES;
    put(attention_layer_weight(layer, QUERY, 0, 1), queries, 1);
    attention_layer_run(layer, x);
    *after += mean_of_highest(attention_layer_map(layer, 0, 0)) / BATCHES;
}

/* Each tolerance is five standard deviations of what is measured: √(2/n) of the variance of n
 * normal numbers; a tenth of a row's for a mean over a hundred rows. The expected means, and the
 * deviations of rows, were measured over 20,000 rows of ten normal numbers. */
static void the_variance_of_scores(Real m, double before_wanted, double before_deviation,
                                   double after_wanted, double after_deviation)
{
    const size_t count = (size_t)BATCHES * TOKENS * WIDE;
    const double m2 = (double)(m * m), m4 = m2 * m2;
    Real *Q = memory_new(count, sizeof *Q, "Q"), *K = memory_new(count, sizeof *K, "K");
    Real scores[SCORES];
    double before = 0, after = 0;
    TorchRandom random = torch_seed(123);
    torch_normal(Q, count, &random);
    torch_normal(K, count, &random);
    put(matrix(Q, BATCHES * TOKENS, WIDE), matrix(Q, BATCHES * TOKENS, WIDE), m);
    put(matrix(K, BATCHES * TOKENS, WIDE), matrix(K, BATCHES * TOKENS, WIDE), m);
    AttentionLayer layer =
        full_layer_new((AttentionShape){.width = TOKENS, .heads = 1, .head_size = WIDE}, 1, TOKENS);
    for (int b = 0; b < BATCHES; b++)
        try_batch(&layer, ROW(Q, b, TOKENS * WIDE), ROW(K, b, TOKENS * WIDE),
                  ROW(scores, b, TOKENS * TOKENS), &before, &after);
    const double inputs = 5 * sqrt(2.0 / (double)count), products = 5 * sqrt(2.0 / SCORES);
    assert_close_one("the variance of Q", variance(Q, count), m2, inputs * m2);
    assert_close_one("the variance of K", variance(K, count), m2, inputs * m2);
    assert_close_one("the variance of QKᵀ", variance(scores, SCORES), WIDE * m4,
                     products * WIDE * m4);
    put(matrix(scores, 1, SCORES), matrix(scores, 1, SCORES), (Real)(1 / sqrt(WIDE)));
    assert_close_one("the variance of QKᵀ/√d", variance(scores, SCORES), m4, products * m4);
    assert_close_one("the highest softmax before", before, before_wanted, 0.5 * before_deviation);
    assert_close_one("the highest softmax after", after, after_wanted, 0.5 * after_deviation);
    attention_layer_free(&layer);
    free(Q);
    free(K);
}

static void the_variance_of_scores_for_deviation_1(void **state)
{
    (void)state;
    the_variance_of_scores(1, 0.985, 0.063, 0.322, 0.109);
}

static void the_variance_of_scores_for_deviation_2(void **state)
{
    (void)state;
    the_variance_of_scores(2, 0.996, 0.034, 0.735, 0.206);
}

int main(void)
{
    const struct CMUnitTest tables[] = {
        cmocka_unit_test(random_words_are_those_of_torch),
        cmocka_unit_test(normal_numbers_are_those_of_torch),
        cmocka_unit_test(uniform_numbers_are_those_of_torch),
        cmocka_unit_test(a_linear_layer_starts_as_that_of_torch),
        cmocka_unit_test(scores_without_weights),
        cmocka_unit_test(attention_without_weights),
        cmocka_unit_test(hello_shiny_sun),
        cmocka_unit_test(the_second_word_with_weights),
        cmocka_unit_test(self_attention_v1),
        cmocka_unit_test(self_attention_v2_of_seed_789),
        cmocka_unit_test(self_attention_v2_in_v1),
        cmocka_unit_test(masking_after_the_softmax),
        cmocka_unit_test(masking_before_the_softmax),
        cmocka_unit_test(dropout_of_the_maps),
        cmocka_unit_test(dropout_multiplies_with_the_same),
        cmocka_unit_test(causal_attention),
        cmocka_unit_test(two_heads_and_exercise_3_2),
        cmocka_unit_test(multi_head_attention),
        cmocka_unit_test(the_variance_of_scores_for_deviation_1),
        cmocka_unit_test(the_variance_of_scores_for_deviation_2),
    };
    const struct CMUnitTest exercise_3_3[] = {
        cmocka_unit_test(exercise_3_3_prints),
        cmocka_unit_test(exercise_3_3_maps),
        cmocka_unit_test(exercise_3_3_is_causal),
        cmocka_unit_test(exercise_3_3_in_double_precision),
    };
    return cmocka_run_group_tests(tables, NULL, NULL) +
           cmocka_run_group_tests(exercise_3_3, large_new, large_free);
}
