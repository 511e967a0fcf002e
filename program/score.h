/* score.h: how well a model foretells a text: loss (mean −ln p of its tokens, in nats) and
 * perplexity, line by line and in all. */
#ifndef PULGA_SCORE_H
#define PULGA_SCORE_H

#include "formats/huggingface/pretrained.h"

/* Says it on standard output. A stream is read in pieces of the context's length, one a line. Dies
 * where the text has a word that the model does not know. */
void score_text(Pretrained *model, const char *path, bool json);

#endif
