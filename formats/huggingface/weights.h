/* weights.h: a block of a model's weights, or of Adam's moments, as the tensors of a file: under
 * the names that Transformers gives them. The linear layers of a block are stored as GPT-2's
 * Conv1D, which is how the model has them: (inputs, outputs), a row for each input. */
#ifndef PULGA_WEIGHTS_H
#define PULGA_WEIGHTS_H

#include "model/gpt.h"
#include "formats/safetensors.h"

/* Fills a list, which has room for gpt->tensor_count; each name begins with `prefix`, which may be
 * empty. The entries point into the block. Returns how many there are. */
int weights_list(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix);

/* Reads a block; dies if a tensor is missing or has another shape. Without a prefix, the file's
 * names may lack Transformers' own "transformer.", as in old files. */
void weights_read(const SafeTensors *file, const Gpt *gpt, Real *block, const char *prefix);

/* A number of a block that is not finite, in words ("number 7 of wte.weight is inf", counted from
 * 0), or NULL: the first in the last such tensor, since backward begins there. The caller frees
 * it. */
char *weights_wrong(const Gpt *gpt, const Real *block);

#endif
