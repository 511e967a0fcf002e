/* row.h: a row of --each: what a model makes of a token or a word. Its columns:
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
 *     count, of         how often the training text goes on so: "count" of "of" times, after the
 *                       longest end of what the model has read after which the text goes on at all;
 *                       of a hidden token, between all others of its line. Unknown if the text is
 *                       not at hand, and of a hidden token if the text does not have the others, or
 *                       if it is only a part of a word.
 *     model, counting   the probability by each of the two alone, if the run was trained with
 *                       --counts; then all columns above are of both together */
#ifndef PULGA_ROW_H
#define PULGA_ROW_H

#include "choice.h"

typedef struct {
    size_t line, position;
    const char *text; /* its bytes */
    double probability, surprise;
    int rank;
    double entropy;
    const char *best; /* likewise */
    double best_p;
    size_t count, of; /* of is 0 if it is unknown */
    bool in_parts;    /* else there are no parts */
    double parts[2];  /* the probability by the model and by counting alone */
} Row;

/* Whether rows are printed as a table for people: neither as CSV nor as JSON. */
bool row_in_table(const Choice *choice);

/* The head of a table or of CSV. in_parts: the rows have parts; counted: some of them may have
 * counts. */
void row_put_head(const Choice *choice, TokenizerKind kind, bool in_parts, bool counted);

void row_put(const Choice *choice, const Row *row);

#endif
