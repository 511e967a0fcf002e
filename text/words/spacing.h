/* spacing.h: whether white space stands between two tokens of a text made of words.
 *
 * Two words never touch. Around punctuation the text that the model was trained on decides: by how
 * often it writes this pair together and apart or, if it does not have the pair, how often its
 * punctuation touches anything. If that decides nothing, or there is no text, opening punctuation
 * touches what follows it, and other punctuation what it follows.
 *
 * The text  ¿Qué? -dijo.  counts the pairs ¿Qué, Qué?, -dijo and dijo. once as written together,
 * and the pair "? -" once as written apart. */
#ifndef PULGA_SPACING_H
#define PULGA_SPACING_H

#include "vocabulary.h"

/* An entry of the map of pairs; key and value are the names that stb_ds needs. */
typedef struct {
    int64_t key; /* left · V + right */
    int value;   /* how often the text writes them together, minus how often apart */
} SpacedPair;

/* Owned by a tokenizer. All zero is the spacing of a model without a text. */
typedef struct {
    SpacedPair *pairs;   /* stb_ds map of the pairs with punctuation in them */
    int *before, *after; /* (V) the same sum for each token and anything before or after it; NULL
                            until the first pair with punctuation is learned */
} Spacing;

void spacing_free(Spacing *spacing);

/* Learns that the text has two tokens in a row, with white space between them or without. */
void spacing_learn(Spacing *spacing, const Vocabulary *vocabulary, int left, int right, bool apart);

bool spacing_is_needed(const Spacing *spacing, const Vocabulary *vocabulary, int left, int right);

#endif
