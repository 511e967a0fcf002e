/* bpe_train.h: which subwords a text is best cut into: byte-pair encoding, trained as Hugging
 * Face's BpeTrainer does it, with the same merges and the same ids.
 *
 * At first every byte is a token. Then the pair of neighbours that occurs most often becomes a new
 * token, everywhere, again and again, until the vocabulary is large enough:
 *
 *     h u g (10 times)  p u g (5)  p u n (12)  b u n (4)  h u g s (5)
 *     u + g (20 times) -> ug        hug = h ug, pug = p ug, hugs = h ug s
 *     u + n (16)       -> un        pun = p un, bun = b un
 *     h + ug (15)      -> hug
 *
 * Pairs are counted within words, never across. If pairs occur equally often,
 * the one with the smaller left id comes first, then the one with the smaller right id. */
#ifndef PULGA_BPE_TRAIN_H
#define PULGA_BPE_TRAIN_H

#include "text/words/vocabulary.h"

/* Wherever these two tokens stand side by side, they become the token `id`. Merges are in the order
 * in which they are to be made. */
typedef struct {
    int left, right, id;
} BpeMerge;

/* Adds the 256 bytes to a vocabulary, as the characters of bpe.h in their order, and then
 * merges until it has `size` tokens; those that it has already, which are special, are part of
 * these. Ends sooner if no pair is left that occurs `min_count` times. Frees the counts, whose
 * memory it needs. Returns the merges, an stb_ds array. */
BpeMerge *bpe_train(Vocabulary *vocabulary, WordCounts *counts, int size, int64_t min_count);

/* A vocabulary of the 256 bytes only; ids[byte] receives their ids. */
void bpe_add_bytes(Vocabulary *vocabulary, int ids[256]);

#endif
