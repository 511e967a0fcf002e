/* bytes.h: how many bytes of text some tokens stand for. A loss in bits per byte,
 *
 *     −Σ ln p / (bytes · ln 2)
 *
 * over the same text compares models of words, characters and subwords, whose losses per token
 * cannot be compared. It is also what the best possible compressor would make of a byte with this
 * model's probabilities. */
#ifndef PULGA_BYTES_H
#define PULGA_BYTES_H

#include "corpus.h"

/* The bytes of the clean text that the targets of a part stand for. [eos] stands for the line end,
 * and words for the white space beside them, too: that of a line is shared out evenly among its
 * tokens, so the sum is exact over whole lines. (In a large text, whose lines are not listed, that
 * of the whole text is shared out.) NAN if one of the tokens is [unk], which may stand for
 * anything, so that nothing can be compared with it; or if tokens are hidden, since what is
 * predicted with the help of what comes after it is no measure of a text. Of pairs, the bytes are
 * those of their targets. */
double corpus_bytes(const Corpus *corpus, const Tokenizer *tokenizer, const Part *part);

/* The same loss, the sum of −ln p over some targets, in bits per byte; NAN if the bytes are. */
double bits_per_byte(double loss, double bytes);

#endif
