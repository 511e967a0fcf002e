/* cases.c: see cases.h. */
#include "cases.h"

#include "close.h"
#include "patterns.h"

enum { T = 7, L = 2, H = 3, D = 3, C = 7, F = 11, V = 13, N = 12 };

#define SIZES \
    .context = T, .layers = L, .heads = H, .head_size = D, .width = C, .hidden = F, .vocabulary = V
#define WINDOWS(...)                   \
    .patterns = (const Pattern[L * H]) \
    {                                  \
        __VA_ARGS__                    \
    }

const Case CASES[] = {
    {"pre, relu, sinusoidal, tied", {SIZES}, 0},
    {"post, relu, sinusoidal, tied", {SIZES, .post_norm = true}, 0},
    {"pre, gelu, learned, untied",
     {SIZES, .gelu = true, .learned_positions = true, .untied = true},
     0},
    {"post, gelu, learned, untied",
     {SIZES, .post_norm = true, .gelu = true, .learned_positions = true, .untied = true},
     0},
    {"windows", {SIZES, WINDOWS(W(1), W(2), W(3), W(0), W(5), W(9))}, 0},
    {"post, windows of one",
     {SIZES, .post_norm = true, WINDOWS(W(1), W(1), W(1), W(1), W(1), W(1))},
     0},
    {"no qkv bias, dropout", {SIZES, .no_qkv_bias = true}, 0.2},
    {"post, learned, windows, dropout",
     {SIZES, .post_norm = true, .learned_positions = true,
      WINDOWS(W(2), W(0), W(3), W(2), W(2), W(1))},
     0.4}};
const int CASE_COUNT = sizeof CASES / sizeof *CASES;

static const int START[] = {0, 1, 8, 12};
static const int TOKENS[N] = {4, 0, 12, 3, 3, 7, 1, 4, 9, 0, 2, 12};
static const int TARGETS[N] = {0, 12, 3, 3, 7, 1, 4, 9, 0, 2, 12, 5};
static const int POSITIONS[N] = {0, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3};
const Batch CASE_BATCH = {.rows = N,
                          .sequences = 3,
                          .start = START,
                          .tokens = TOKENS,
                          .targets = TARGETS,
                          .positions = POSITIONS};

Gpt case_model(const Case *c)
{
    Gpt gpt = gpt_new(c->shape, N);
    gpt_init(&gpt, 3);
    /* Larger weights than a run starts with, so that every gradient is well above rounding. */
    for (int i = 0; i < gpt.tensor_count; i++) {
        const Tensor *tensor = &gpt.tensors[i];
        Real *at = gpt.weight_block + tensor->offset;
        const size_t count = tensor_size(tensor);
        if (!tensor->trained)
            continue;
        fill(at, count, i);
        for (size_t j = 0; j < count; j++)
            at[j] = (Real)(float)(tensor->kind == GAIN ? 1 + at[j] / 4 : at[j] / 2);
    }
    return gpt;
}

double case_learn(Gpt *gpt, const Case *c)
{
    const Noise noise = {c->dropout, 9, 4, 0};
    return gpt_forward_backward(gpt, &CASE_BATCH, (Real)(1.0 / N), noise) / N;
}
