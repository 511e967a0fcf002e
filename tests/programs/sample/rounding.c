/* rounding.c (test): a rounded model gives, bit for bit, what a model gives whose weights are the
 * numbers that model/matrix/rounded.h promises, for few rows and many, with 1 to 3 threads. */

#include "base/parallel/threads.h"
#include "model/gpt.h"
#include "model/matrix/matrix.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/close.h"

enum { V = 37, T = 40 };

/* The definition: the nearest number of 8 significant bits, the even one of two. */
static double nearest_bf16(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(fraction * 256), exponent - 8);
}

static void round_bf16(Real *at, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (Real)nearest_bf16((double)at[i]);
}

static void round_q8(Real *at, int count)
{
    for (int from = 0; from < count; from += 32) {
        float most = 0; /* not double: gcc 12 for aarch64 crashes */
        int exponent;
        for (int i = from; i < from + 32; i++)
            most = fmaxf(most, fabsf((float)at[i]));
        const double fraction = frexp((double)(most / 127), &exponent);
        const double scale = ldexp(ceil(fraction * 256), exponent - 8);
        for (int i = from; i < from + 32; i++) {
            const double q = scale > 0 ? nearbyint((double)((float)at[i] / (float)scale)) : 0;
            assert_true(fabs(q) <= 127);
            assert_true(fabs(q * scale - (double)at[i]) <= scale * 0.5000001);
            at[i] = (Real)(q * scale);
        }
    }
}

static Gpt model(Norm norm, bool untied)
{
    const GptConfig config = {SIZES(T, 2, 4, 16, 128, 192, V), .norm = norm, .untied = untied};
    Gpt gpt = gpt_new(&config, 4 * T);
    assert_true(gpt_rounds(&config));
    gpt_init(&gpt, 5);
    memset(gpt.weights.block[0].attention.out.weight, 0, 40 * sizeof(Real)); /* a scale of 0 */
    return gpt;
}

/* The scores after `sequences` sequences of `length` tokens. */
static void read_tokens(Gpt *gpt, int sequences, int length, Real *logits)
{
    int tokens[4 * T], start[5];
    for (int i = 0; i < sequences * length; i++)
        tokens[i] = i * 7 % V;
    for (int s = 0; s <= sequences; s++)
        start[s] = s * length;
    const Batch batch = {
        .rows = sequences * length, .sequences = sequences, .start = start, .tokens = tokens};
    gpt_next_logits(gpt, &batch, logits);
}

static void compare(Gpt *got, Gpt *wanted)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {4, 1}, {1, 5}, {1, T}, {3, 17}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Real of_got[4 * V], of_wanted[4 * V];
        read_tokens(got, sizes[i][0], sizes[i][1], of_got);
        read_tokens(wanted, sizes[i][0], sizes[i][1], of_wanted);
        assert_memory_equal(of_got, of_wanted, sizeof *of_got * (size_t)(sizes[i][0] * V));
    }
}

/* A transposed matrix is written from its columns. */
static void write_tensor(const Tensor *tensor, Real *to, const Real *from, bool turn)
{
    const Matrix m = matrix_rounded(to, tensor->rows, tensor->cols, tensor->rounding);
    if (!turn) {
        matrix_write(m, from);
        return;
    }
    Real *columns = memory_new(tensor_size(tensor), sizeof *columns, "columns");
    for (int i = 0; i < tensor->rows; i++)
        for (int j = 0; j < tensor->cols; j++)
            ROW(columns, j, tensor->rows)[i] = ROW(from, i, tensor->cols)[j];
    matrix_write(transposed(m), columns);
    free(columns);
}

static Gpt rounded_copy_of(const Gpt *gpt, Rounding rounding)
{
    Gpt rounded = gpt_new_rounded(&gpt->config, 4 * T, rounding);
    assert_true((double)rounded.size < 0.53 * (double)gpt->size);
    for (int i = 0; i < gpt->tensor_count; i++)
        write_tensor(&rounded.tensors[i], rounded.weight_block + rounded.tensors[i].offset,
                     gpt->weight_block + gpt->tensors[i].offset, i % 2);
    return rounded;
}

static void compare_with_the_definition(Norm norm, bool untied, Rounding rounding)
{
    Gpt wanted = model(norm, untied), rounded = rounded_copy_of(&wanted, rounding);
    for (int i = 0; i < wanted.tensor_count; i++) {
        const Tensor *tensor = &wanted.tensors[i];
        Real *at = wanted.weight_block + tensor->offset;
        if (tensor->kind == TENSOR_MATRIX && strcmp(tensor->name, "wpe.weight"))
            (rounding == ROUNDING_BF16 ? round_bf16 : round_q8)(at, (int)tensor_size(tensor));
    }
    for (int threads = 1; threads <= 3; threads++) {
        thread_set_limit(threads);
        compare(&rounded, &wanted);
    }
    for (int i = 0; i < 2; i++) { /* a head, then a layer */
        ablate(&rounded, i, i ? wanted.config.heads : 1);
        ablate(&wanted, i, i ? wanted.config.heads : 1);
        compare(&rounded, &wanted);
    }
    gpt_free(&rounded);
    gpt_free(&wanted);
}

TEST(a_rounded_model_is_one_of_rounded_weights)
{
    for (int untied = 0; untied < 2; untied++) {
        compare_with_the_definition(NORM_PRE, untied, ROUNDING_BF16);
        compare_with_the_definition(NORM_POST, untied, ROUNDING_Q8);
        compare_with_the_definition(NORM_PRE, untied, ROUNDING_Q8);
    }
}

TEST(rows_must_be_whole_blocks)
{
    static const int sizes[][3] = {{100, 64, 16}, {128, 100, 16}, {128, 64, 24}};
    for (int i = 0; i < 3; i++)
        assert_false(gpt_rounds(&(GptConfig){.width = sizes[i][0],
                                             .hidden = sizes[i][1],
                                             .heads = 4,
                                             .key_heads = 4,
                                             .head_size = sizes[i][2]}));
}
