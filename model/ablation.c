/* ablation.c: writes zeros into the output matrices and biases of the branches. */
#include "ablation.h"

#include <string.h>

void ablate(Gpt *gpt, int layer, int head)
{
    const BlockWeights *block = &gpt->weights.block[layer];
    const Linear out = block->attention.out; /* [H·D, C] */
    const size_t size = (size_t)gpt->config.head_size * (size_t)out.out;
    if (head < gpt->config.heads) {
        memset(out.weight + (size_t)head * size, 0, size * sizeof *out.weight);
        return;
    }
    for (int half = 0; half < 2; half++) {
        const Linear last = half ? block->feedforward.narrow : out;
        memset(last.weight, 0, (size_t)last.in * (size_t)last.out * sizeof *last.weight);
        memset(last.bias, 0, (size_t)last.out * sizeof *last.bias);
    }
}
