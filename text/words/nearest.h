/* nearest.h: how alike two words are, and the message about a word that a model does not know:
 *
 *     the prompt: the model does not know 'pero'; its nearest: perro, el, hueso */
#ifndef PULGA_NEAREST_H
#define PULGA_NEAREST_H

#include "vocabulary.h"

/* One line: `where`, the word, and up to three known words that resemble it. They are those with
 * the smallest edit distance, counted in code points; at equal distance, those with the smallest
 * ids. A word of which every letter would have to change is left out. The caller frees the line. */
char *unknown_word(const Vocabulary *vocabulary, const char *where, const char *word, size_t size);

/* The edit distance from the first word, of so many bytes, to the second, counted in code points:
 * from "pato" to "gata", 2. INT_MAX if one of them is very long. */
int letters_apart(const char *word, size_t size, const char *other);

#endif
