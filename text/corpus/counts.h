/* counts.h: counts which tokens follow some given ones in a text, which stand between others, and
 * whether the text has some tokens in a row. In data/perro.txt, the beginning of a line and "el"
 * are followed by perro twice, muchacho twice and gato once.
 *
 * Words and characters are compared by their ids. Subwords can make up the same text in several
 * ways, so these are compared by their bytes; but around a gap, which is one token, by their
 * ids. */
#ifndef PULGA_COUNTS_H
#define PULGA_COUNTS_H

#include "text/words/vocabulary.h"
#include "corpus.h"

/* Appends what is compared of a token to an stb_ds array: its id or, for a subword, its bytes. A
 * special token among subwords is a number above all bytes. */
void put_symbols(int **symbols, const Tokenizer *tokenizer, int id);

/* next (V): how often the text continues with each token after these `count` tokens; returns the
 * sum. If the text is cut within a subword, it continues with what is left of that one, or is not
 * counted if no token is that. This and counts_has() take time in proportion to the text, however
 * many tokens are looked for. */
size_t counts_next(const Corpus *corpus, const Tokenizer *tokenizer, size_t *next, int V,
                   const int *tokens, int count);

/* Counts the words that come next in a text of subwords, as subwords/bpe.h cuts it,
 * but without what `before`, the last word of the tokens, has of them: after "el per" comes ro.
 * *times receives them and the special tokens, which word_counts_free() frees; returns the sum. */
size_t counts_next_words(const Corpus *corpus, const Tokenizer *tokenizer, const int *tokens,
                         int count, const char *before, WordCounts *times);

/* times (gaps, V): of the places where the text has these `count` tokens in a row, with any token
 * of a line where they are `gap`, how often it has each token in each gap. Returns the number of
 * places, the sum of each row. Takes time in proportion to the text, and in a text that repeats
 * itself to the tokens. */
size_t counts_gaps(const Corpus *corpus, size_t *times, int V, const int *tokens, int count,
                   int gap);

/* Whether the text has these tokens in a row. */
bool counts_has(const Corpus *corpus, const Tokenizer *tokenizer, const int *tokens, int count);

#endif
