/* ablation.h: a model without some of its heads or layers. Nothing is cut out: the weights are set
 * to 0 through which a head or a layer adds to the residual stream, so what it adds is exactly 0.
 *
 *     a head     the rows of Wout (attention.h) that read its part of `mixed`
 *     a layer    Wout and bout, and W2 and b2 (feedforward.h); post-norm keeps its layer norms */
#ifndef PULGA_ABLATION_H
#define PULGA_ABLATION_H

#include "gpt.h"

/* Takes out a head; number H is all of the layer. */
void ablate(Gpt *gpt, int layer, int head);

#endif
