/* counted.h: the counts of a run that was trained with --counts: tokens.bin has the tokens, and the
 * result in config.json the order and the share. */
#ifndef PULGA_COUNTED_H
#define PULGA_COUNTED_H

#include "formats/huggingface/pretrained.h"
#include "text/corpus/counting.h"

/* Opens the tokens of a run, cut as they were for training, and counts those trained on. Returns
 * false if it keeps no counts; dies if they are damaged. The caller frees both. */
bool counted_read(const Pretrained *model, Corpus *corpus, CountMixture *mixture);

/* Mixes the counts of a run with its model, which points to the mixture from then on. Returns false
 * if it keeps none. */
bool counted_mix(Pretrained *model, CountMixture *mixture);

#endif
