/* quotes.h: cuts some tokens into the pieces that a text has, and says where it has them. Each
 * piece is the longest that the text has from its first token on, and the next one begins after
 * it. So the text has no piece together with what follows it.
 *
 *     text      el perro come un hueso
 *               el gato duerme
 *     tokens    el gato come un hueso
 *     pieces    el gato | come un hueso
 *
 * Subwords are compared by their bytes, as in counts.h. A piece of characters or bytes ends at the
 * end of a word, unless the text has only the beginning of that word. */
#ifndef PULGA_QUOTES_H
#define PULGA_QUOTES_H

#include "corpus.h"

enum { QUOTE_PLACES = 3 };

/* A piece. A token, or a letter, that the text does not have is a piece of its own, 0 times. */
typedef struct {
    char *text;                /* as it is written, perhaps with a space before it */
    size_t times;              /* how often the text has it */
    size_t place;              /* the text's token at which it first ends */
    size_t line[QUOTE_PLACES]; /* the lines of the first places, from 1. A text that is read by
                                  lines counts those that are not blank; a stream of words has no
                                  line ends: 0 */
} Quote;

/* An stb_ds array, which the caller frees with quotes_free(). Takes time in proportion to the text
 * and to the tokens. */
Quote *quotes_of(const Corpus *corpus, const Tokenizer *tokenizer, const int *tokens, int count);
void quotes_free(Quote *quotes);

/* The text of the line that a place is in, from some tokens before it on; the caller frees it. */
char *quote_line(const Corpus *corpus, const Tokenizer *tokenizer, size_t place);

#endif
