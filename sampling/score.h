/* score.h: how well a model predicts a text: the loss (the mean −ln p of its tokens, in nats) and
 * the perplexity (e to the loss), for each line and for the whole text, and of that the bits per
 * byte (text/corpus/bytes.h). */
#ifndef PULGA_SCORE_H
#define PULGA_SCORE_H

#include "formats/huggingface/pretrained.h"

/* Prints a table, or JSON. A text that is read as a stream is cut into pieces as long as the
 * context, and a line is printed for each. Dies if the text has a word that the model does not
 * know. */
void score_text(Pretrained *model, const char *path, bool json);

#endif
