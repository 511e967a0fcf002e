/* score.h: how well a model predicts a text: the loss (the mean −ln p of its tokens, in nats) and
 * the perplexity (e to the loss), for each line and for the whole text, and of that the bits per
 * byte (text/corpus/corpus.h); with --each, what it makes of each token. */
#ifndef PULGA_SCORE_H
#define PULGA_SCORE_H

#include "text/corpus/counting.h"
#include "choice.h"

/* Prints a table, CSV or JSON of the text that --score names, or with --each of its tokens. If the
 * text is read as a stream, each piece of half a context counts as a line. Dies if the text has a
 * word that the model does not know. `counts` is what is mixed into the model, or NULL. */
void score_text(Pretrained *model, CountMixture *counts, const Choice *choice);

/* All of a text, in pieces that the model reads. Dies if the model cannot read it. corpus_free()
 * frees it. */
Corpus corpus_to_score(Pretrained *model, const char *path);

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

#endif
