/* rounding.c: each layer has a copy of the struct with its weights, and must know as well. */
#include "rounding.h"

#include "base/parallel/threads.h"
#include "model/matrix/matrix.h"

static void round_linear(Linear *p, Linear *of_layer, Rounding rounding)
{
    matrix_round(p->weight, (size_t)p->in * (size_t)p->out, rounding);
    p->rounding = of_layer->rounding = rounding;
}

bool gpt_rounds(const GptConfig *config)
{
    const int mixed = config->heads * config->head_size;
    return config->width % ROUNDED_GRAIN == 0 && config->hidden % ROUNDED_GRAIN == 0 &&
           mixed % ROUNDED_GRAIN == 0;
}

void gpt_round(Gpt *gpt, Rounding rounding)
{
    GptWeights *p = &gpt->weights;
    const size_t table = (size_t)gpt->config.vocabulary * (size_t)gpt->config.width;
    OMP(parallel for)
    for (int l = 0; l < gpt->config.layers; l++) {
        Attention *attention = &gpt->block[l].attention;
        FeedForward *feedforward = &gpt->block[l].feedforward;
        round_linear(&p->block[l].attention.qkv, &attention->p.qkv, rounding);
        round_linear(&p->block[l].attention.out, &attention->p.out, rounding);
        round_linear(&p->block[l].feedforward.widen, &feedforward->p.widen, rounding);
        round_linear(&p->block[l].feedforward.narrow, &feedforward->p.narrow, rounding);
    }
    matrix_round(p->embedding.wte, table, rounding);
    if (gpt->config.untied)
        matrix_round(p->head.weight, table, rounding);
    p->embedding.rounding = p->head.rounding = rounding;
}
