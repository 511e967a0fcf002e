/* suffixes.h: how often a text has some tokens in a row, without reading it again: its places are
 * sorted by the tokens that stand there and after them (a suffix array), so those with the same
 * tokens are neighbours, and two binary searches find the first and the last of them.
 *
 * Tokens are compared by their ids, also subwords: what follows is counted as a model learns it. */
#ifndef PULGA_SUFFIXES_H
#define PULGA_SUFFIXES_H

#include "text/corpus/corpus.h"

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
