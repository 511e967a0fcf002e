/* each.h: what a model makes of each token of a text that is scored, a row for each.
 *
 * A word that several tokens make up has the product of their probabilities, so the sum of their
 * surprise; rank, entropy and best are those of its first token. */
#ifndef PULGA_EACH_H
#define PULGA_EACH_H

#include "text/corpus/corpus.h"
#include "choice.h"

/* ---- Suffixes ---- */

/* How often a text has some tokens in a row, without reading it again: its places are sorted by the
 * tokens that stand there and after them (a suffix array), so those with the same tokens are
 * neighbours, and two binary searches find the first and the last of them.
 *
 * Tokens are compared by their ids, also subwords: what follows is counted as a model learns it. */

/* It borrows the ids. */
typedef struct {
    const Ids *ids;
    int longest;    /* how many tokens of each place decide its order */
    size_t *places; /* (ids->count) */
} Suffixes;

Suffixes suffixes_new(const Corpus *corpus, int longest);
void suffixes_free(Suffixes *suffixes);

/* How often the text has these tokens, `longest` at most, in a row. */
size_t suffixes_count(const Suffixes *suffixes, const int *tokens, int count);

/* The length of the longest end of these tokens that the text goes on after somewhere; 0 if there
 * is none. *times receives how often it goes on: after no token, each of the text's counts. */
int suffixes_longest(const Suffixes *suffixes, const int *tokens, int count, size_t *times);

/* A row of --each: what a model makes of a token or a word. Its columns:
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
