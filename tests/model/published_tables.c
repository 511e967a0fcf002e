/* published_tables.c: the tables that the teaching material prints, to the last digit, computed by
 * Pulga's own layers from the same seeds.
 *
 * Most come from the notebook of the attention chapter, which goes from scores without weights to
 * multi-head attention. One more is the worked example "Hello shiny sun!". */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/close.h"

#include <math.h>
#include <stdlib.h>

#include "model/matrix/matrix.h"

/* Half a unit of the fourth decimal, and some rounding of float32. */
static const double ROUNDING = 5e-7, PRINTED = 0.5e-4 + ROUNDING;

/* "Your journey starts with one step", three numbers for each word. */
enum { WORDS = 6, IN = 3 };
static const Real words[WORDS * IN] = {0.43f, 0.15f, 0.89f, 0.55f, 0.87f, 0.66f,
                                       0.57f, 0.85f, 0.64f, 0.22f, 0.58f, 0.33f,
                                       0.77f, 0.25f, 0.10f, 0.05f, 0.80f, 0.55f};

/* ---- The random numbers that PyTorch draws on a CPU from the same seed ---- */

/* MT19937 (Matsumoto and Nishimura 1998). Each function uses as many bits, in the same order, as
 * PyTorch's. */
enum { TORCH_STATE = 624, MIDDLE = 397 };

typedef struct {
    uint32_t word[TORCH_STATE];
    int next; /* the word that is drawn next; TORCH_STATE: renew the state */
} TorchRandom;

/* torch.manual_seed(seed) */
static TorchRandom torch_seed(uint32_t seed)
{
    TorchRandom random = {.next = TORCH_STATE};
    random.word[0] = seed;
    for (uint32_t i = 1; i < TORCH_STATE; i++) {
        const uint32_t before = random.word[i - 1];
        random.word[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
    return random;
}

static void renew(uint32_t *word)
{
    for (int i = 0; i < TORCH_STATE; i++) {
        const uint32_t next = word[(i + 1) % TORCH_STATE];
        const uint32_t y = (word[i] & 0x80000000u) | (next & 0x7fffffffu);
        word[i] = word[(i + MIDDLE) % TORCH_STATE] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

static uint32_t torch_word(TorchRandom *random)
{
    if (random->next == TORCH_STATE) {
        renew(random->word);
        random->next = 0;
    }
    uint32_t y = random->word[random->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* Uniform in [0, 1) with the bits of a float. */
static float uniform24(TorchRandom *random)
{
    return (float)(torch_word(random) & 0xffffffu) * 0x1p-24f;
}

/* torch.rand(count); 24 bits each. */
static void torch_uniform(Real *out, size_t count, TorchRandom *random)
{
    for (size_t i = 0; i < count; i++)
        out[i] = uniform24(random);
}

/* Makes 16 uniform numbers normal, in place and in single precision: the first eight become radii,
 * the others angles. */
static void normal_sixteen(Real *at)
{
    for (int i = 0; i < 8; i++) {
        const float radius = sqrtf(-2 * logf(1 - (float)at[i]));
        const float angle = 2 * (float)M_PI * (float)at[i + 8];
        at[i] = radius * cosf(angle);
        at[i + 8] = radius * sinf(angle);
    }
}

/* torch.randn(count), a multiple of 16: for others PyTorch uses other methods. */
static void torch_normal(Real *out, size_t count, TorchRandom *random)
{
    torch_uniform(out, count, random);
    for (size_t i = 0; i + 16 <= count; i += 16)
        normal_sixteen(out + i);
}

/* Uniform between −bound and bound, as `uniform_` computes it. */
static Real uniform_within(float bound, TorchRandom *random)
{
    return uniform24(random) * (bound - -bound) + -bound;
}

/* The starting values of nn.Linear: weight [in, out], which may be a part of a larger matrix, is
 * drawn row by row of its transpose, as PyTorch stores it; then the bias (out), if there is one. */
static void torch_linear(Matrix weight, Real *bias, TorchRandom *random)
{
    const float bound = (float)(1 / sqrt(weight.rows));
    for (int o = 0; o < weight.cols; o++)
        for (int i = 0; i < weight.rows; i++)
            weight.at[i * weight.row_step + o * weight.col_step] = uniform_within(bound, random);
    for (int o = 0; bias && o < weight.cols; o++)
        bias[o] = uniform_within(bound, random);
}

/* ---- A layer of attention by itself ---- */

static AttentionLayer layer_new(int width, int heads, int head_size, int length)
{
    return attention_layer_new(
        (AttentionShape){.width = width, .heads = heads, .head_size = head_size}, &length, 1);
}

/* With or without a causal mask. */
static void run(AttentionLayer *layer, const Real *x, bool causal)
{
    layer->prefix[0] = causal ? 0 : layer->batch.rows;
    attention_layer_run(layer, x);
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

/* assert_close() for a matrix that may be a view; wanted lies row by row. */
static void assert_table(const char *what, Matrix got, const double *wanted, double tolerance)
{
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++)
            assert_close_one(what, (double)*element(got, i, j), wanted[i * got.cols + j],
                             tolerance);
}

/* ---- Attention without weights: q = k = v = x, and no division by √d ---- */

/* The layer divides by √D; queries that are √D times as large undo that. */
static AttentionLayer untrained_layer(const Real *x, int length)
{
    AttentionLayer layer = layer_new(IN, 1, IN, length);
    for (Part part = QUERY; part <= VALUE; part++)
        for (int i = 0; i < IN; i++)
            *element(attention_layer_weight(&layer, part, 0, 1), i, i) =
                part == QUERY ? (Real)sqrt(IN) : 1;
    run(&layer, x, false);
    return layer;
}

TEST(attention_without_weights)
{
    static const double weights[] = {0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452, 0.1385, 0.2379,
                                     0.2333, 0.1240, 0.1082, 0.1581, 0.1390, 0.2369, 0.2326, 0.1242,
                                     0.1108, 0.1565, 0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720,
                                     0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295, 0.1385, 0.2184,
                                     0.2128, 0.1420, 0.0988, 0.1896};
    static const double context[] = {0.4421, 0.5931, 0.5790, 0.4419, 0.6515, 0.5683,
                                     0.4431, 0.6496, 0.5671, 0.4304, 0.6298, 0.5510,
                                     0.4671, 0.5910, 0.5266, 0.4177, 0.6503, 0.5645};
    AttentionLayer layer = untrained_layer(words, WORDS);
    assert_table("the weights", attention_layer_map(&layer, 0, 0), weights, PRINTED);
    assert_table("the contexts", mixed_of(&layer), context, PRINTED);
    attention_layer_free(&layer);
}

/* The page works this one out by hand, so its last digits are off; the exact ones are beside
 * them. */
TEST(hello_shiny_sun)
{
    static const Real hello[] = {0.34f, 0.22f, 0.54f, 0.53f, 0.34f, 0.98f, 0.29f, 0.54f, 0.93f};
    static const double weights[] = {0.229134, 0.406265, 0.364602};
    static const double context[] = {0.398960, 0.385424, 0.860951};
    static const double by_hand[] = {0.3992, 0.3858, 0.8610};
    AttentionLayer layer = untrained_layer(hello, 3);
    const Matrix P = matrix_rows(attention_layer_map(&layer, 0, 0), 1, 1);
    const Matrix shiny = matrix_rows(mixed_of(&layer), 1, 1);
    assert_table("the weights of \"shiny\"", P, weights, 0.5e-6 + ROUNDING);
    assert_table("the context of \"shiny\"", shiny, context, 0.5e-6 + ROUNDING);
    assert_table("the context worked out by hand", shiny, by_hand, 5e-4);
    attention_layer_free(&layer);
}

/* ---- One head with weights ---- */

/* SelfAttention_v2, CausalAttention and their wrapper: for each head three nn.Linear without
 * bias. */
static void start_as_heads(AttentionLayer *layer, TorchRandom *random)
{
    for (int head = 0; head < layer->attention.shape.heads; head++)
        for (Part part = QUERY; part <= VALUE; part++)
            torch_linear(attention_layer_weight(layer, part, head, 1), NULL, random);
}

/* SelfAttention_v1: torch.rand(d_in, d_out) each, laid out as Pulga's matrices. */
TEST(self_attention_v1)
{
    static const double query[] = {0.4306, 1.4551};
    static const double weights[] = {0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820};
    static const double context[] = {0.2996, 0.8053, 0.3061, 0.8210, 0.3058, 0.8203,
                                     0.2948, 0.7939, 0.2927, 0.7891, 0.2990, 0.8040};
    AttentionLayer layer = layer_new(IN, 1, 2, WORDS);
    TorchRandom random = torch_seed(123);
    for (Part part = QUERY; part <= VALUE; part++)
        for (int i = 0; i < IN * 2; i++)
            torch_uniform(element(attention_layer_weight(&layer, part, 0, 1), i / 2, i % 2), 1,
                          &random);
    run(&layer, words, false);
    assert_table("query_2", matrix_rows(attention_layer_part(&layer, QUERY, 0), 1, 1), query,
                 PRINTED);
    assert_table("attn_weights_2", matrix_rows(attention_layer_map(&layer, 0, 0), 1, 1), weights,
                 PRINTED);
    assert_table("SelfAttention_v1", mixed_of(&layer), context, PRINTED);
    attention_layer_free(&layer);
}

/* With the seed of the original notebook. */
TEST(self_attention_v2_of_seed_789)
{
    static const double context[] = {-0.0739, 0.0713, -0.0748, 0.0703, -0.0749, 0.0702,
                                     -0.0760, 0.0685, -0.0763, 0.0679, -0.0754, 0.0693};
    static const double first[] = {0.1921, 0.1646}, causal[] = {0.5517, 0.4483};
    AttentionLayer layer = layer_new(IN, 1, 2, WORDS);
    TorchRandom random = torch_seed(789);
    start_as_heads(&layer, &random);
    run(&layer, words, false);
    assert_table("SelfAttention_v2, seed 789", mixed_of(&layer), context, PRINTED);
    const Matrix P = matrix_cols(attention_layer_map(&layer, 0, 0), 0, 2);
    assert_table("row 0", matrix_rows(P, 0, 1), first, PRINTED);
    run(&layer, words, true);
    assert_table("causal row 1", matrix_rows(P, 1, 1), causal, PRINTED);
    attention_layer_free(&layer);
}

/* Exercise 3.1 has the same context: v1 with v2's weights, transposed, is what Pulga's layer is. */
TEST(self_attention_v2)
{
    static const double context[] = {-0.5337, -0.1051, -0.5323, -0.1080, -0.5323, -0.1079,
                                     -0.5297, -0.1076, -0.5311, -0.1066, -0.5299, -0.1081};
    static const double full[] = {0.1717, 0.1762, 0.1761, 0.1555, 0.1627, 0.1579, 0.1636, 0.1749,
                                  0.1746, 0.1612, 0.1605, 0.1652, 0.1637, 0.1749, 0.1746, 0.1611,
                                  0.1606, 0.1651, 0.1636, 0.1704, 0.1702, 0.1652, 0.1632, 0.1674,
                                  0.1667, 0.1722, 0.1721, 0.1618, 0.1633, 0.1639, 0.1624, 0.1709,
                                  0.1706, 0.1654, 0.1625, 0.1682};
    static const double causal[] = {1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.4833, 0.5167,
                                    0.0000, 0.0000, 0.0000, 0.0000, 0.3190, 0.3408, 0.3402, 0.0000,
                                    0.0000, 0.0000, 0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000,
                                    0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000, 0.1624, 0.1709,
                                    0.1706, 0.1654, 0.1625, 0.1682};
    AttentionLayer layer = layer_new(IN, 1, 2, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_heads(&layer, &random);
    run(&layer, words, false);
    assert_table("SelfAttention_v2, seed 123", mixed_of(&layer), context, PRINTED);
    const Matrix P = attention_layer_map(&layer, 0, 0);
    assert_table("attn_weights", P, full, PRINTED);
    run(&layer, words, true);
    assert_table("causal attn_weights", P, causal, PRINTED);
    attention_layer_free(&layer);
}

/* ---- Several heads ---- */

/* The wrapper; then exercise 3.2, which sets no seed: its weights are drawn after the wrapper's. */
TEST(two_heads_and_exercise_3_2)
{
    static const double wide[] = {-0.4519, 0.2216,  0.4772,  0.1063,  -0.5874, 0.0058,
                                  0.5891,  0.3257,  -0.6300, -0.0632, 0.6202,  0.3860,
                                  -0.5675, -0.0843, 0.5478,  0.3589,  -0.5526, -0.0981,
                                  0.5321,  0.3428,  -0.5299, -0.1081, 0.5077,  0.3493};
    static const double narrow[] = {0.0189, 0.2729, 0.2181, 0.3037, 0.2804, 0.3125,
                                    0.2830, 0.2793, 0.2476, 0.2541, 0.2748, 0.2513};
    TorchRandom random = torch_seed(123);
    for (int size = 2; size > 0; size--) {
        AttentionLayer layer = layer_new(IN, 2, size, WORDS);
        start_as_heads(&layer, &random);
        run(&layer, words, true);
        assert_table(size == 2 ? "MultiHeadAttentionWrapper" : "exercise 3.2", mixed_of(&layer),
                     size == 2 ? wide : narrow, PRINTED);
        attention_layer_free(&layer);
    }
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

TEST(multi_head_attention)
{
    static const double weight[] = {-0.166758, 0.226973, 0.500026, 0.131738}; /* (out, in) */
    static const double bias[] = {0.193359, 0.682541, 0};
    static const double context[] = {0.3190, 0.4858, 0.2943, 0.3897, 0.2856, 0.3593,
                                     0.2693, 0.3873, 0.2639, 0.3928, 0.2575, 0.4028};
    AttentionLayer layer = layer_new(IN, 2, 1, WORDS);
    TorchRandom random = torch_seed(123);
    start_as_multi_head(&layer, &random);
    const Matrix out_proj = matrix_cols(matrix(layer.attention.p.out.weight, 2, IN), 0, 2);
    assert_table("out_proj.weight", transposed(out_proj), weight, 1e-6);
    assert_close("out_proj.bias", layer.attention.p.out.bias, bias, 3, 1e-6);
    run(&layer, words, true);
    assert_table("MultiHeadAttention", matrix_cols(matrix(layer.y, WORDS, IN), 0, 2), context,
                 PRINTED);
    attention_layer_free(&layer);
}

/* ---- Exercise 3.3: the size of GPT-2 ---- */

enum { SEQUENCES = 2, T = 1024, C = 768, H = 12 };

/* Again without a seed: its weights are drawn after MultiHeadAttention's, then a random batch. The
 * first and last three rows of both sequences, the first and last three columns of each. The
 * notebook's output ends in the tenth row; the rest was computed with PyTorch. */
TEST(exercise_3_3)
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
    const size_t count = (size_t)SEQUENCES * T * C;
    Real *x = memory_new(count, sizeof *x, "a random batch");
    TorchRandom random = torch_seed(123);
    AttentionLayer before = layer_new(IN, 2, 1, WORDS);
    AttentionLayer layer =
        attention_layer_new((AttentionShape){.width = C, .heads = H, .head_size = C / H},
                            (const int[]){T, T}, SEQUENCES);
    start_as_multi_head(&before, &random);
    start_as_multi_head(&layer, &random);
    torch_normal(x, count, &random);
    attention_layer_run(&layer, x);
    for (int s = 0; s < SEQUENCES; s++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                const double wanted = printed[s][r][c];
                const double digit = pow(10, floor(log10(fabs(wanted))) - 4);
                const double got = (double)ROW(layer.y, s * T + rows[r], C)[cols[c]];
                assert_close_one("exercise 3.3", got, wanted, 0.5 * digit + ROUNDING);
            }
    attention_layer_free(&before);
    attention_layer_free(&layer);
    free(x);
}
