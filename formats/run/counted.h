/* counted.h: the counts of a run that was trained with --counts: tokens.bin has the tokens, and the
 * result in config.json the order and the share. */
#ifndef PULGA_COUNTED_H
#define PULGA_COUNTED_H

#include "formats/huggingface/pretrained.h"
#include "text/corpus/counting.h"

typedef struct {
    Corpus corpus; /* as it was cut for training: its part to train on is counted */
    int order;
    double share;
} Counted;

/* Opens the tokens of a run; returns false if it keeps no counts. Dies if they are damaged. The
 * caller frees the corpus. */
bool counted_read(const Pretrained *model, Counted *counted);

/* Mixes the counts of a run with its model, which points to the mixture from then on. Returns false
 * if it keeps none. */
bool counted_mix(Pretrained *model, CountMixture *mixture);

#endif
