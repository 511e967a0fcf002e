/* each.h: what a model makes of each token of a text that is scored, a row for each:
 *
 *     line              of the text, as --score counts them
 *     position          of the token in its line, from 1; of a line, [bos] is at 1
 *     token             or word: without the space before it
 *     probability       p
 *     surprise          −log2 p, in bits; the mean of all, times ln 2, is the loss
 *     rank              of the token among all: 1 is the most probable one
 *     entropy           of the prediction, in bits: −Σ p log2 p over all tokens
 *     best              the most probable token
 *     best_probability  and its probability
 *     count, of         how often the training text goes on so: "count" of "of" times, after the longest
 *                       end of what the model has read after which the text goes on at all; of a hidden
 *                       token, between all others of its line. Unknown if the text is not at hand, and
 *                       of a hidden token if the text does not have the others, or if it is only a
 *                       part of a word.
 *     model, counting   the probability by the model alone and by counting alone, if the run was trained
 *                       with --counts; then all columns above are of both together
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
