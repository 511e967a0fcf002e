/* ablation.c: writes zeros into the output matrices and biases of the branches. */
#include "ablation.h"

#include <string.h>

void ablate_head(Gpt *gpt, int layer, int head)
{
    const Linear out = gpt->weights.block[layer].attention.out; /* [H·D, C] */
    const size_t size = (size_t)gpt->config.head_size * (size_t)out.out;
    memset(out.weight + (size_t)head * size, 0, size * sizeof *out.weight);
}

void ablate_layer(Gpt *gpt, int layer)
{
    const BlockWeights *block = &gpt->weights.block[layer];
    for (int half = 0; half < 2; half++) {
        const Linear out = half ? block->feedforward.narrow : block->attention.out;
        memset(out.weight, 0, (size_t)out.in * (size_t)out.out * sizeof *out.weight);
        memset(out.bias, 0, (size_t)out.out * sizeof *out.bias);
    }
}
