/* each.h: what a model makes of each token of a text that is scored, a row for each: see row.h.
 *
 * A word that several tokens make up has the product of their probabilities, so the sum of their
 * surprise; rank, entropy and best are those of its first token. */
#ifndef PULGA_EACH_H
#define PULGA_EACH_H

#include "choice.h"
#include "text/corpus/counting.h"

typedef struct Each Each;

/* Begins a table, or CSV or JSON, by the options. Reads the training text to count in. Borrows the
 * model, its mixture with counting, which may be NULL, and the corpus that is scored. */
Each *each_begin(Pretrained *model, CountMixture *counts, const Corpus *corpus,
                 const Choice *choice);

/* Evaluates a batch, all of one piece, and adds its rows that count; returns the sum of their
 * losses, that of gpt_evaluate(). */
double each_evaluate(Each *each, Piece piece, const Batch *batch);

/* Prints the rows of line `number`, which has the tokens [from, end) of the corpus. */
void each_end_line(Each *each, size_t number, size_t from, size_t end);

/* Explains the shades, if there are any, and frees. */
void each_end(Each *each);

#endif
