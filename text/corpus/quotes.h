/* quotes.h: what of some tokens stands in a text, piece by piece. From the beginning on, the longest
 * piece that the text has is a quote, and the next one begins behind it: there is no way with fewer
 * pieces. Where two of them meet is a joint that the text does not have.
 *
 * The text    el perro come un hueso      has, of  el gato come un hueso,  the pieces
 *             el gato duerme                       el gato | come un hueso
 *
 * Subwords are compared by their bytes, as in counts.h. A piece of characters or bytes ends where a
 * word does, unless the text has less than the word. */
#ifndef PULGA_QUOTES_H
#define PULGA_QUOTES_H

#include "corpus.h"

enum { QUOTE_PLACES = 3 };

/* A piece. If the text does not even have one token, or letter, that is a piece, 0 times. */
typedef struct {
    char *text;                 /* as it is written, perhaps with a space before it */
    size_t times;               /* how often the text has it */
    size_t place[QUOTE_PLACES]; /* the first of these: its last token */
    size_t line[QUOTE_PLACES];  /* the line of that, counted from 1: of a text that is read by
                                   lines, of those that are not blank; 0 if a stream of words has
                                   no line ends any more */
} Quote;

/* An stb_ds array, which the caller frees with quotes_free(). Takes time in proportion to the text
 * and to the tokens. */
Quote *quotes_of(const Corpus *corpus, const Tokenizer *tokenizer, const int *tokens, int count);
void quotes_free(Quote *quotes);

/* The text of the line that a place is in, from some tokens before it on; the caller frees it. */
char *quote_line(const Corpus *corpus, const Tokenizer *tokenizer, size_t place);

#endif
