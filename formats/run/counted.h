/* counted.h: the counts of a run that was trained with --counts: tokens.bin has the tokens, and the
 * result in config.json the order and the share. */
#ifndef PULGA_COUNTED_H
#define PULGA_COUNTED_H

#include "formats/huggingface/pretrained.h"
#include "text/corpus/counting.h"

/* Opens them and mixes them with the model, which points to the mixture from then on. Returns false
 * if the run has none. Dies if they are damaged. */
bool counted_open(Pretrained *model, CountMixture *mixture);

#endif
