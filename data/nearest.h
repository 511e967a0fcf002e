/* nearest.h: what to say of a word that a model does not know. */
#ifndef PULGA_NEAREST_H
#define PULGA_NEAREST_H

#include "vocabulary.h"

/* One line: the word, and up to three known ones that resemble it. They are the nearest by the
 * least number of code points that must be put in, left out or changed, at equal distance those of
 * the smallest ids; none that would have to be changed from end to end. The caller frees. */
char *unknown_word(const Vocabulary *vocabulary, const char *where, const char *word, size_t size);

#endif
