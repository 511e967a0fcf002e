/* cases.c: the list of cases, and one ragged batch for all. */
#include "cases.h"

#include "close.h"
#include "patterns.h"

enum { T = 7, L = 2, H = 3, D = 3, C = 7, F = 11, V = 13, N = 12 };

#define ODD SIZES(T, L, H, D, C, F, V)
#define LLAMA                                                                           \
    SIZES_SHARED(T, L, H, 1, 4, C, F, V), .rms = true, .positions = POSITIONS_ROTARY,   \
                                          .activation = ACTIVATION_SILU, .gated = true, \
                                          .no_other_bias = true
#define PATTERNS(...)                  \
    .patterns = (const Pattern[L * H]) \
    {                                  \
        __VA_ARGS__                    \
    }

const Case CASES[] = {
    {.name = "pre, relu, sinusoidal, tied", .shape = {ODD}},
    {.name = "post, relu, sinusoidal, tied", .shape = {ODD, .norm = NORM_POST}},
    {.name = "pre, gelu, learned, untied",
     .shape = {ODD, .activation = ACTIVATION_GELU, .positions = POSITIONS_LEARNED, .untied = true}},
    {.name = "post, gelu, learned, untied",
     .shape = {ODD, .norm = NORM_POST, .activation = ACTIVATION_GELU,
               .positions = POSITIONS_LEARNED, .untied = true}},
    {.name = "windows", .shape = {ODD, PATTERNS(W(1), W(2), W(3), W(0), W(5), W(9))}},
    {.name = "post, windows of one",
     .shape = {ODD, .norm = NORM_POST, PATTERNS(W(1), W(1), W(1), W(1), W(1), W(1))}},
    {.name = "no qkv bias, dropout", .shape = {ODD, .no_qkv_bias = true}, .dropout = 0.2},
    {.name = "post, learned, windows, dropout",
     .shape = {ODD, .norm = NORM_POST, .positions = POSITIONS_LEARNED,
               PATTERNS(W(2), W(0), W(3), W(2), W(2), W(1))},
     .dropout = 0.4},
    {.name = "sparse patterns, dropout",
     .shape = {ODD, PATTERNS(STRIDED(2), FIXED(3), SUMMARY(3, 1), SUMMARY(4, 2), W(2), W(0))},
     .dropout = 0.3},
    {.name = "some targets count", .shape = {ODD}, .kind = CASE_SOME_COUNT},
    {.name = "post, untied, dropout, some targets count",
     .shape = {ODD, .norm = NORM_POST, .untied = true},
     .dropout = 0.1,
     .kind = CASE_SOME_COUNT},
    {.name = "pairs", .shape = {ODD}, .kind = CASE_PAIRS},
    {.name = "pairs, post, learned, patterns, dropout",
     .shape = {ODD, .norm = NORM_POST, .positions = POSITIONS_LEARNED,
               PATTERNS(W(2), STRIDED(2), W(0), FIXED(3), SUMMARY(3, 1), W(3))},
     .dropout = 0.2,
     .kind = CASE_PAIRS},
    {.name = "masked", .shape = {ODD}, .kind = CASE_MASKED},
    {.name = "masked, gelu, untied, patterns, dropout",
     .shape = {ODD, .activation = ACTIVATION_GELU, .untied = true,
               PATTERNS(STRIDED(3), W(3), SUMMARY(4, 2), W(0), FIXED(2), W(2))},
     .dropout = 0.3,
     .kind = CASE_MASKED},
    {.name = "post, rms", .shape = {ODD, .norm = NORM_POST, .rms = true}},
    {.name = "shared keys, post",
     .shape = {SIZES_SHARED(T, L, H, 1, D, C, F, V), .norm = NORM_POST}},
    {.name = "rms, gelu, gated",
     .shape = {ODD, .rms = true, .activation = ACTIVATION_GELU, .gated = true}},
    {.name = "rotary, untied, dropout",
     .shape = {SIZES(T, L, H, 4, C, F, V), .positions = POSITIONS_ROTARY, .untied = true},
     .dropout = 0.2},
    {.name = "llama", .shape = {LLAMA, .no_qkv_bias = true}},
    {.name = "qwen2, patterns, pairs",
     .shape = {LLAMA, .untied = true,
               PATTERNS(W(2), STRIDED(2), W(0), FIXED(3), SUMMARY(3, 1), W(3))},
     .kind = CASE_PAIRS},
};
const int CASE_COUNT = sizeof CASES / sizeof *CASES;

static const int START[] = {0, 1, 8, 12};
static const int TOKENS[N] = {4, 0, 12, 3, 3, 7, 1, 4, 9, 0, 2, 12};
static const int TARGETS[N] = {0, 12, 3, 3, 7, 1, 4, 9, 0, 2, 12, 5};
static const int SOME_TARGETS[N] = {-1, -1, 3, -1, 7, 1, 4, -1, -1, -1, 12, 5};
/* The second and third sequence are a source of 3 and of 2 tokens, [sep] included, and a target.
 * The first one's source is all of it: its only row is that of [sep]. */
static const int PAIRS_TARGETS[N] = {0, -1, -1, 3, 7, 1, 4, 9, -1, 2, 12, 5};
static const int PAIRS_PREFIX[] = {1, 3, 2};
/* All see each other. The rows that count read [mask], another token or their own. */
static const int MASKED_TARGETS[N] = {4, -1, 12, -1, -1, 7, 1, -1, -1, -1, 11, -1};
static const int MASKED_TOKENS[N] = {2, 0, 2, 3, 3, 9, 1, 4, 9, 0, 2, 12};
static const int MASKED_PREFIX[] = {1, 7, 4};
const Batch CASE_BATCH = {
    .rows = N, .sequences = 3, .start = START, .tokens = TOKENS, .targets = TARGETS, .counted = N};

Gpt case_model(const Case *c)
{
    Gpt gpt = gpt_new(&c->shape, N);
    gpt_init(&gpt, 3);
    /* Larger weights than a run starts with, so that all gradients are far above rounding. */
    for (int i = 0; i < gpt.tensor_count; i++) {
        const Tensor *tensor = &gpt.tensors[i];
        Real *at = gpt.weight_block + tensor->offset;
        const size_t count = tensor_size(tensor);
        if (!tensor->trained)
            continue;
        fill(at, count, i);
        for (size_t j = 0; j < count; j++)
            at[j] = (Real)(float)(tensor->kind == TENSOR_GAIN ? 1 + at[j] / 4 : at[j] / 2);
    }
    return gpt;
}

static Batch case_batch(const Case *c)
{
    Batch batch = CASE_BATCH;
    switch (c->kind) {
    case CASE_ALL_COUNT: return batch;
    case CASE_SOME_COUNT: batch.targets = SOME_TARGETS; break;
    case CASE_PAIRS:
        batch.targets = PAIRS_TARGETS;
        batch.prefix = PAIRS_PREFIX;
        break;
    case CASE_MASKED:
        batch.tokens = MASKED_TOKENS;
        batch.targets = MASKED_TARGETS;
        batch.prefix = MASKED_PREFIX;
        break;
    }
    batch.counted = 0;
    for (int i = 0; i < batch.rows; i++)
        batch.counted += batch.targets[i] >= 0;
    return batch;
}

double case_learn(Gpt *gpt, const Case *c)
{
    const Dropout dropout = {c->dropout, 9, 4};
    const Batch batch = case_batch(c);
    return gpt_forward_backward(gpt, &batch, (Real)(1.0 / batch.counted), dropout) / batch.counted;
}
