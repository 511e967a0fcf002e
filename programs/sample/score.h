/* score.h: how well a model predicts a text: the loss (the mean −ln p of its tokens, in nats) and
 * the perplexity (e to the loss), for each line and for the whole text, and of that the bits per
 * byte (text/corpus/corpus.h). */
#ifndef PULGA_SCORE_H
#define PULGA_SCORE_H

#include "text/corpus/counting.h"
#include "choice.h"

/* Prints a table, or JSON, of the text that --score names, or with --each of its tokens (each.h).
 * If the text is read as a stream, each piece of half a context counts as a line. Dies if the text
 * has a word that the model does not know. `counts` is what is mixed into the model, or NULL. */
void score_text(Pretrained *model, CountMixture *counts, const Choice *choice);

#endif
