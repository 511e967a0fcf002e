/* weights.c: the model's own list of tensors (model/tensors.h) says what a file holds and where
 * each tensor is in the block. This file only adds the names that files use. For wte and lm_head:
 *
 *     ours           transformer.wte.weight           lm_head.weight
 *     in a state     adam_m.transformer.wte.weight    adam_m.lm_head.weight
 *     OpenAI-GPT     transformer.tokens_embed.weight  lm_head.weight
 *     an old file    wte.weight                       lm_head.weight */
#include "weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts together a tensor's name in a file: the prefix, `inner` ("transformer." or nothing)
 * unless it is the head's, and its name in the model. OpenAI-GPT (post-norm) files use other
 * names for the embeddings. */
static void file_name(NamedTensor *entry, const char *prefix, const char *inner,
                      const Tensor *tensor, bool post_norm)
{
    const bool outside = !strcmp(tensor->name, "lm_head.weight");
    const char *own = tensor->name;
    if (post_norm)
        own = !strcmp(own, "wte.weight")   ? "tokens_embed.weight"
              : !strcmp(own, "wpe.weight") ? "positions_embed.weight"
                                           : own;
    snprintf(entry->name, sizeof entry->name, "%s%s%s", prefix, outside ? "" : inner, own);
}

/* Lists the tensors of a block, each with its place in it; returns how many there are. */
static int list_block(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix,
                      const char *inner)
{
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        list[i] = (NamedTensor){.rows = tensor_is_vector(tensor) ? 0 : tensor->rows,
                                .cols = tensor->cols,
                                .at = block + tensor->offset};
        file_name(&list[i], prefix, inner, tensor, gpt->config.post_norm);
    }
    return gpt->tensor_count;
}

/* Files of ours always have the names of a whole model, which begin with "transformer." except for
 * the head's. */
int weights_list(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix)
{
    return list_block(list, gpt, block, prefix, "transformer.");
}

void weights_read(const SafeTensors *file, const Gpt *gpt, Real *block, const char *prefix)
{
    NamedTensor *list = memory_new((size_t)gpt->tensor_count, sizeof *list, "a file's table");
    /* an old file is one that has its first tensor under the shorter name */
    const char *first = gpt->config.post_norm ? "tokens_embed.weight" : "wte.weight";
    const bool bare = safetensors_has(file, first);
    const int count = list_block(list, gpt, block, prefix, bare ? "" : "transformer.");
    for (int i = 0; i < count; i++)
        safetensors_read(file, &list[i]);
    free(list);
}

char *weights_wrong(const Gpt *gpt, const Real *block)
{
    for (int i = gpt->tensor_count - 1; i >= 0; i--) {
        const Tensor *tensor = &gpt->tensors[i];
        const Real *at = block + tensor->offset;
        for (size_t n = 0; n < tensor_size(tensor); n++)
            if (!isfinite(at[n]))
                return format_text("number %zu of %s is %g", n, tensor->name,
                                   isnan(at[n]) ? (double)NAN : (double)at[n]); /* without a sign */
    }
    return NULL;
}
