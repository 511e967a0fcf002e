/* exercises.c: the six review questions that end a Spanish guide to the transformer, answered by
 * the program: each test names its exercise. And two tables of teaching material. */
#include "tests/helpers/attention_layer.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

#include "model/gpt.h"

/* weight = factor · identity */
static void put_identity(const AttentionLayer *layer, Part part, Real factor)
{
    const Matrix weight = attention_layer_weight(layer, part, 0, 1);
    for (int i = 0; i < weight.cols; i++)
        weight.at[i * weight.row_step + i] = factor;
}

/* One head over sequences of these lengths, with weights and rows that are all different. */
static AttentionLayer filled_layer(int width, int head_size, const int *lengths, int sequences)
{
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = width, .heads = 1, .head_size = head_size}, lengths, sequences);
    fill(layer.attention.p.qkv.weight, (size_t)(width * 3 * head_size), 1);
    fill(layer.x, (size_t)(layer.batch.rows * width), 2);
    return layer;
}

static double dot(const Real *a, const Real *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Exercise 1: if a query equals its own key, is the output the token's own value? No: other keys
 * still get a share. Here q = k = v = x. It is so only if the token attends to nothing else. */
TEST(exercise_1_a_query_equal_to_its_key)
{
    const Real x[] = {1, 0, 0, 1};
    FREED_BY(attention_layer_free)
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = 2, .heads = 1, .head_size = 2}, (const int[]){2}, 1);
    for (Part part = QUERY; part <= VALUE; part++)
        put_identity(&layer, part, 1);
    attention_layer_run(&layer, x);
    const double own = exp(1 / sqrt(2)), sum = 1 + own;
    assert_close("the first token, alone", layer.attention.keep.mixed, (double[]){1, 0}, 2, 0);
    assert_close("the second", layer.attention.keep.mixed + 2, (double[]){1 / sum, own / sum}, 2,
                 1e-6);
}

/* ---- Exercises 2 and 3: a mask that is added to the scores ---- */

/* P = softmax((q·kᵀ + M)/√D), in the number type of the model. M is `masked` for all keys from
 * `seen` on, and if it is causal for all keys after the query; else it is 0. */
static void masked_softmax(Real *P, Matrix q, Matrix k, int seen, bool causal, Real masked)
{
    for (int i = 0; i < q.rows; i++) {
        Real *row = ROW(P, i, k.rows), top = -INFINITY, sum = 0;
        for (int j = 0; j < k.rows; j++) {
            const bool hidden = j >= seen || (causal && j > i);
            const double score = dot(q.at + i * q.row_step, k.at + j * k.row_step, q.cols);
            row[j] = ((Real)score + (hidden ? masked : 0)) / (Real)sqrt(q.cols);
            top = row[j] > top ? row[j] : top;
        }
        for (int j = 0; j < k.rows; j++)
            sum += row[j] = (Real)exp((double)(row[j] - top));
        for (int j = 0; j < k.rows; j++)
            row[j] /= sum;
    }
}

static Matrix rows_of(const AttentionLayer *layer, Part part, int sequence)
{
    const int first = layer->start[sequence];
    return matrix_rows(attention_layer_part(layer, part, 0), first,
                       layer->start[sequence + 1] - first);
}

/* Exercise 2: M is 0 on and below the diagonal and −∞ above. It may as well be −10⁹: e^(−10⁹/√d) is
 * exactly 0. But 10⁹ without the sign shows a query only what comes after it, and −10 is not large
 * enough. */
TEST(exercise_2_the_mask_as_a_number)
{
    enum { T = 6 };
    FREED_BY(attention_layer_free) AttentionLayer layer = filled_layer(5, 64, (const int[]){T}, 1);
    attention_layer_run(&layer, layer.x);
    const Matrix q = rows_of(&layer, QUERY, 0), k = rows_of(&layer, KEY, 0);
    Real infinite[T * T], large[T * T], wrong[T * T], small[T * T];
    masked_softmax(infinite, q, k, T, true, -INFINITY);
    masked_softmax(large, q, k, T, true, (Real)-1e9);
    masked_softmax(wrong, q, k, T, true, (Real)1e9);
    masked_softmax(small, q, k, T, true, -10);
    assert_memory_equal(large, infinite, sizeof large);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            const int at = i * T + j;
            assert_close_one("P", (double)attention_layer_map(&layer, 0, 0).at[at],
                             (double)infinite[at], 1e-6);
            assert_int_equal(infinite[at] == 0, j > i);
            if (i + 1 < T)
                assert_int_equal(wrong[at] == 0, j <= i);
            assert_true(small[at] > 0);
        }
}

/* Exercise 3: to hide padding, M is −∞ in the columns of the padding. Pulga has no padding: its
 * batches are sequences of different lengths. Each has the bits that it has by itself (from five
 * tokens on: products of fewer rows sum in another order), and the numbers that padding and a mask
 * would give. (All tokens of a sequence see each other here, since
 * a causal mask would also hide padding at the end.) */
TEST(exercise_3_a_mask_for_padding)
{
    enum { C = 4, D = 3, S = 3, T = 8 };
    static const int lengths[S] = {5, T, 6}, padded_lengths[S] = {T, T, T};
    FREED_BY(attention_layer_free) AttentionLayer ragged = filled_layer(C, D, lengths, S);
    FREED_BY(attention_layer_free)
    AttentionLayer padded =
        filled_layer(C, D, padded_lengths, S); /* rows that follow are padding */
    for (int s = 0; s < S; s++) {
        ragged.prefix[s] = lengths[s];
        padded.prefix[s] = T;
        memcpy(ROW(padded.x, s * T, C), ROW(ragged.x, ragged.start[s], C),
               sizeof(Real) * (size_t)(lengths[s] * C));
    }
    attention_layer_run(&ragged, ragged.x);
    attention_layer_run(&padded, padded.x);
    for (int s = 0; s < S; s++) {
        Real wanted[T * T];
        masked_softmax(wanted, rows_of(&padded, QUERY, s), rows_of(&padded, KEY, s), lengths[s],
                       false, -INFINITY);
        FREED_BY(attention_layer_free) AttentionLayer alone = filled_layer(C, D, &lengths[s], 1);
        alone.prefix[0] = lengths[s];
        attention_layer_run(&alone, ROW(ragged.x, ragged.start[s], C));
        const Real *map = attention_layer_map(&ragged, s, 0).at;
        const Real *unmasked = attention_layer_map(&padded, s, 0).at;
        for (int i = 0; i < lengths[s]; i++) {
            for (int j = 0; j < lengths[s]; j++)
                assert_close_one("P", (double)map[i * lengths[s] + j], (double)wanted[i * T + j],
                                 1e-6);
            for (int j = lengths[s]; j < T; j++) {
                assert_true(wanted[i * T + j] == 0);
                assert_true(unmasked[i * T + j] > (Real)0.01);
            }
        }
        assert_memory_equal(alone.attention.keep.mixed,
                            ROW(ragged.attention.keep.mixed, ragged.start[s], D),
                            sizeof(Real) * (size_t)(lengths[s] * D));
    }
}

/* ---- Exercises 4 to 6 ---- */

/* Exercise 4: only what enters the first block is not contextual: the token's row of the table and
 * its position's, whatever stands around it. The rows of the table start at random and are learnt;
 * what leaves a block depends on the other tokens. Here the token in the middle is the same. */
TEST(exercise_4_one_layer_is_not_contextual)
{
    enum { L = 2, C = 8, ROWS = 6 };
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&(GptConfig){SIZES(3, L, 2, 4, C, 16, 5)}, ROWS);
    gpt_init(&gpt, 1);
    static const int tokens[ROWS] = {1, 2, 3, 1, 2, 4};
    static const int start[] = {0, 3, ROWS}, prefix[] = {3, 3};
    gpt_forward(
        &gpt,
        &(Batch){.rows = ROWS, .sequences = 2, .start = start, .tokens = tokens, .prefix = prefix},
        NULL, (Dropout){0});
    for (int l = 0; l <= L; l++) {
        const Real *stream = gpt.keep.stream + l * ROWS * C;
        const bool same = !memcmp(ROW(stream, 1, C), ROW(stream, 4, C), sizeof(Real) * C);
        assert_int_equal(same, l == 0);
    }
    for (int c = 0; c < C; c++)
        assert_true(ROW(gpt.keep.stream, 1, C)[c] == ROW(gpt.weights.embedding.wte, 2, C)[c] +
                                                         ROW(gpt.weights.embedding.wpe, 1, C)[c]);
}

static double cosine(const Real *a, const Real *b, int count)
{
    return dot(a, b, count) / sqrt(dot(a, a, count) * dot(b, b, count));
}

/* Exercise 5, first half: all sinusoidal position vectors have one length, √½, and the cosine of
 * two depends on their distance alone: it is the mean of cos(distance·ω) over the frequencies ω. */
TEST(exercise_5_the_cosine_of_two_positions)
{
    enum { T = 100, C = 48 };
    Real wpe[T * C];
    embedding_sinusoids(wpe, T, C);
    for (int distance = 0; distance < T; distance++) {
        double wanted = 0;
        for (int c = 0; c < C; c += 2)
            wanted += cos(distance / pow(10000, (double)c / C)) * 2 / C;
        for (int i = 0; i + distance < T; i++) {
            const Real *p = ROW(wpe, i, C);
            assert_close_one("p·p", dot(p, p, C), 0.5, 1e-6);
            assert_close_one("the cosine", cosine(p, ROW(wpe, i + distance, C), C), wanted, 1e-6);
        }
    }
}

/* Exercise 5, second half: a token e at two places. Without positions the cosine is 1. With them it
 * falls as the distance grows, to about |e|²/(|e|² + |p|²): p·p′ gets close to 0, and so are the
 * products of e with p and p′, since p knows nothing of e. The token itself never gets lost. */
TEST(exercise_5_a_token_at_two_positions)
{
    enum { T = 40000, C = 64, NEAR = 8, FAR = T / 4 };
    Real *sum = memory_new(T * C, sizeof *sum, "e + p"), e[C];
    embedding_sinusoids(sum, T, C);
    fill(e, C, 3);
    for (int c = 0; c < C; c++)
        e[c] /= (Real)sqrt(C); /* as large as the rows of a new model's table */
    assert_close_one("without positions", cosine(e, e, C), 1, 1e-15);
    const double limit = dot(e, e, C) / (dot(e, e, C) + dot(sum, sum, C));
    for (int i = 0; i < T * C; i++)
        sum[i] += e[i % C];
    double mean = 0, before = 1;
    for (int distance = 1; distance < NEAR; distance++) {
        const double now = cosine(sum, ROW(sum, distance, C), C);
        assert_true(now < before && now > limit);
        before = now;
    }
    for (int i = FAR; i < T; i++)
        mean += cosine(sum, ROW(sum, i, C), C) / (T - FAR);
    assert_close_one("far away", mean, limit, 0.05 * (1 - limit));
    free(sum);
}

/* Exercise 6: a head that attends to each token itself, and a little to the next one on its right:
 * a diagonal, and a fainter one beside it. Each token has a direction of its own, x = 1 (T, T). A
 * key has that of its token and, less, that of the token before it. If the sequence is causal, only
 * the diagonal is left. */
TEST(exercise_6_a_head_that_is_almost_monotonic)
{
    enum { T = 7 };
    FREED_BY(attention_layer_free)
    AttentionLayer layer = attention_layer_new(
        (AttentionShape){.width = T, .heads = 1, .head_size = T}, (const int[]){T}, 1);
    put_identity(&layer, QUERY, (Real)(10 * sqrt(T)));
    put_identity(&layer, KEY, 1);
    const Matrix key = attention_layer_weight(&layer, KEY, 0, 1);
    for (int i = 0; i < T; i++) {
        layer.x[i * T + i] = 1;
        if (i)
            key.at[i * key.row_step + i - 1] = (Real)0.8;
    }
    for (int causal = 0; causal < 2; causal++) {
        layer.prefix[0] = causal ? 0 : T;
        attention_layer_run(&layer, layer.x);
        const Matrix map = attention_layer_map(&layer, 0, 0);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                const bool right = !causal && j == i + 1, last = causal || i == T - 1;
                const double wanted = j == i ? (last ? 1 : 0.88) : right ? 0.12 : 0;
                assert_close_one("P", (double)map.at[i * T + j], wanted, 0.002);
            }
    }
}

/* ---- Attention without weights: q = k = v = x, and no division by √d ---- */

/* Compares rows from `row` on of a layer's map and of its output. The layer divides by √D; queries
 * that are √D times as large undo that. */
static void assert_without_weights(const Real *x, int length, int row, int rows,
                                   const double *weights, const double *contexts, double tolerance)
{
    enum { D = 3 };
    FREED_BY(attention_layer_free)
    AttentionLayer layer =
        attention_layer_new((AttentionShape){.width = D, .heads = 1, .head_size = D}, &length, 1);
    for (Part part = QUERY; part <= VALUE; part++)
        put_identity(&layer, part, part == QUERY ? (Real)sqrt(D) : 1);
    layer.prefix[0] = length;
    attention_layer_run(&layer, x);
    assert_close("the weights", ROW(attention_layer_map(&layer, 0, 0).at, row, length), weights,
                 (size_t)(rows * length), tolerance);
    assert_close("the contexts", ROW(layer.attention.keep.mixed, row, D), contexts,
                 (size_t)(rows * D), tolerance);
}

/* "Your journey starts with one step", as a notebook prints it: half a unit of the last decimal,
 * and some rounding. */
TEST(attention_without_weights)
{
    static const Real words[] = {0.43f, 0.15f, 0.89f, 0.55f, 0.87f, 0.66f, 0.57f, 0.85f, 0.64f,
                                 0.22f, 0.58f, 0.33f, 0.77f, 0.25f, 0.10f, 0.05f, 0.80f, 0.55f};
    static const double weights[] = {0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452, 0.1385, 0.2379,
                                     0.2333, 0.1240, 0.1082, 0.1581, 0.1390, 0.2369, 0.2326, 0.1242,
                                     0.1108, 0.1565, 0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720,
                                     0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295, 0.1385, 0.2184,
                                     0.2128, 0.1420, 0.0988, 0.1896};
    static const double contexts[] = {0.4421, 0.5931, 0.5790, 0.4419, 0.6515, 0.5683,
                                      0.4431, 0.6496, 0.5671, 0.4304, 0.6298, 0.5510,
                                      0.4671, 0.5910, 0.5266, 0.4177, 0.6503, 0.5645};
    assert_without_weights(words, 6, 0, 6, weights, contexts, 0.5e-4 + 5e-7);
}

/* A page works the second row out by hand, so its last digits are off; these are the exact ones. */
TEST(hello_shiny_sun)
{
    static const Real hello[] = {0.34f, 0.22f, 0.54f, 0.53f, 0.34f, 0.98f, 0.29f, 0.54f, 0.93f};
    static const double weights[] = {0.229134, 0.406265, 0.364602};
    static const double contexts[] = {0.398960, 0.385424, 0.860951};
    assert_without_weights(hello, 3, 1, 1, weights, contexts, 1e-6);
}
