/* counting.h: what plain counting predicts of the part that is held out: the loss of a Kneser-Ney
 * model (see training/plan/kneser_ney.h) of the part trained on. */
#ifndef PULGA_COUNTING_H
#define PULGA_COUNTING_H

#include "text/corpus/corpus.h"

typedef struct {
    double loss; /* NAN if nothing is held out, or if tokens are hidden */
    int order;   /* the one that was the best on a tenth of the part trained on */
    bool some;   /* of a large text only its last COUNTING_MOST tokens were counted */
} Counting;

enum { COUNTING_MOST = 1 << 20 };

Counting counting_of(const Corpus *corpus);

#endif
