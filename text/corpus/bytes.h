/* bytes.h: how many bytes of text some tokens stand for. A loss in bits per byte,
 *
 *     −Σ ln p / (bytes · ln 2)
 *
 * over the same text compares models of characters and of subwords, whose losses per token cannot
 * be compared. It is also what the best possible compressor would make of a byte with this model's
 * probabilities. */
#ifndef PULGA_BYTES_H
#define PULGA_BYTES_H

#include "corpus.h"

/* The bytes of the clean text that the targets of a part stand for; [eos] stands for the line end.
 * For pairs, only the targets count. NAN if nothing can be compared: with words, whose vocabulary
 * is taken from the whole text, held-out words included, so none has to be spelled; with [unk],
 * which may stand for anything; and if tokens are hidden, since what is predicted with the help of
 * what comes after it is no measure of a text. */
double corpus_bytes(const Corpus *corpus, const Tokenizer *tokenizer, const Part *part);

/* A loss, the sum of −ln p over some targets, in bits per byte; NAN if the bytes are. */
double bits_per_byte(double loss, double bytes);

#endif
