/* counts.h: what follows a beginning in a text, and whether the text has some tokens in a row. */
#ifndef PULGA_COUNTS_H
#define PULGA_COUNTS_H

#include "corpus.h"

/* next (V): how often the text continues with each token after these; returns the sum. */
size_t counts_next(const Corpus *corpus, size_t *next, int V, const int *tokens, int count);

/* Whether the text has these tokens in a row. */
bool counts_has(const Corpus *corpus, const int *tokens, int count);

#endif
