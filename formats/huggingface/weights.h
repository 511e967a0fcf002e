/* weights.h: a block of a model's weights, or of Adam's moments, as the tensors of a file: under
 * the names that Transformers gives them. The linear layers of a block are stored as GPT-2's
 * Conv1D, which is how the model has them: (inputs, outputs), a row for each input. A llama's are
 * stored the other way round, and what the model has side by side (queries, keys and values; the
 * two halves of a gated layer) as matrices of their own. */
#ifndef PULGA_WEIGHTS_H
#define PULGA_WEIGHTS_H

#include "formats/safetensors.h"
#include "model/gpt.h"

/* Fills a list, which has room for gpt->tensor_count, with the model's own tensors under the names
 * of GPT-2, of a llama too; each name begins with `prefix`, which may be empty. The entries point
 * into the block. Returns how many there are. */
int weights_list(NamedTensor *list, const Gpt *gpt, Real *block, const char *prefix);

/* Writes a block of weights as model.safetensors, as the model's family has them; identity: the
 * run's, or 0. The file has only the weights, as Transformers expects it. Warns and returns false
 * if that fails. */
bool weights_write(const Directory *directory, const Gpt *gpt, Real *block, uint64_t identity);

/* Which file of a model directory has the weights, or lists those that have them:
 * model.safetensors or model.safetensors.index.json. Dies if there is neither; if the weights are
 * kept in another way, the message has the remedy. */
const char *weights_file(const Directory *directory);

/* Opens this file, or those that it lists. Dies if something is wrong with them. */
SafeTensors weights_open(const Directory *directory);

/* Reads a block of a state; dies if a tensor is missing or has another shape. */
void weights_read(const SafeTensors *file, const Gpt *gpt, Real *block, const char *prefix);

/* Reads the weights of a model. Their names may lack Transformers' own "transformer.", as in old
 * files. Dies also if there are weights that the model has no place for, or numbers that are not
 * finite. */
void weights_read_model(const SafeTensors *files, const Gpt *gpt);

/* The checksum of a block's numbers as model.safetensors has them: of the bytes after its header.
 * Neither the header nor where a run stands, what it is called or how it was saved changes it. */
uint64_t weights_checksum(const Gpt *gpt, Real *block);

/* Returns NULL if all numbers of a block are finite. Otherwise names one in words ("number 7 of
 * wte.weight is inf", counted from 0), which the caller frees: the first one of the last tensor
 * with any, since backward begins there. */
char *weights_wrong(const Gpt *gpt, const Real *block);

#endif
