/* torch_random.c: MT19937, and what PyTorch makes of its words. */
#include "torch_random.h"

#include <math.h>

enum { MIDDLE = 397 };

TorchRandom torch_seed(uint32_t seed)
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

void torch_uniform(Real *out, size_t count, TorchRandom *random)
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

void torch_normal(Real *out, size_t count, TorchRandom *random)
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

void torch_linear(Matrix weight, Real *bias, TorchRandom *random)
{
    const float bound = (float)(1 / sqrt(weight.rows));
    for (int o = 0; o < weight.cols; o++)
        for (int i = 0; i < weight.rows; i++)
            weight.at[i * weight.row_step + o * weight.col_step] = uniform_within(bound, random);
    for (int o = 0; bias && o < weight.cols; o++)
        bias[o] = uniform_within(bound, random);
}
