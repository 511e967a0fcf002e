/* spelling.h: how tokens are written side by side: with white space between them or without.
 *
 * Characters stand as they are, and two words never touch. Where punctuation is concerned the text
 * that a model was trained on is asked how it writes this pair, then how it writes each of the two
 * beside others; where it is silent, or not there, opening marks touch what follows them and other
 * marks what they follow. */
#ifndef PULGA_SPELLING_H
#define PULGA_SPELLING_H

#include <stdint.h>

#include "vocabulary.h"

typedef struct {
    int64_t key; /* left · V + right */
    int value;   /* how much more often the text writes them together than apart */
} SpelledPair;

typedef struct {
    const Vocabulary *vocabulary;
    SpelledPair *pairs;   /* stb_ds map: pairs with punctuation in them */
    int *before, *behind; /* (V) the same sum for each token and whatever stands before or behind */
} Spelling;

/* Learns from a clean text; NULL: there is none. The vocabulary must outlive it. */
Spelling spelling_of(const Vocabulary *vocabulary, const char *text, size_t size);
void spelling_free(Spelling *spelling);

/* Whether white space stands between two tokens. */
bool spelling_needs_space(const Spelling *spelling, int left, int right);

/* Tokens as a text, [bos] and [eos] left out; the caller frees. */
char *spelling_text(const Spelling *spelling, const int *tokens, int count);

#endif
