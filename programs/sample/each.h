/* each.h: what a model makes of each token of a text that is scored, a row for each: see row.h.
 *
 * A word that several tokens make up has the product of their probabilities, so the sum of their
 * surprise; rank, entropy and best are those of its first token. */
#ifndef PULGA_EACH_H
#define PULGA_EACH_H

#include "choice.h"

typedef struct Each Each;

/* Begins a table, or CSV or JSON, by the options. in_parts: the model is mixed with counting, and
 * the rows also have the probabilities of each alone. Reads the training text to count in. Borrows
 * the model and the corpus that is scored. */
Each *each_begin(Pretrained *model, const Corpus *corpus, const Choice *choice, bool in_parts);

/* Adds what was predicted of the tokens of a batch that count; `piece` is what the model has read.
 * In a mixture, also by the model alone and by counting alone; else these are NULL. */
void each_add(Each *each, Piece piece, const Batch *batch, const Prediction *together,
              const Prediction *model, const Prediction *counting);

/* Prints the rows of line `number`, which has the tokens [from, end) of the corpus. */
void each_end_line(Each *each, size_t number, size_t from, size_t end);

/* Explains the shades, if there are any, and frees. */
void each_end(Each *each);

#endif
