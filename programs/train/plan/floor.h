/* floor.h: the lowest loss that a text allows, by counting.
 *
 * A model that sees a prefix can do no better than to give each next token its relative frequency
 * after that prefix. The mean of −ln of those frequencies, over all targets that count, is the
 * floor. A model whose patterns bound what it sees knows only the position and the tokens that can
 * reach it through the layers. For pairs, what is seen is the source and the beginning of the
 * target; for a hidden token, all others.
 *
 * If "el perro come" is followed once by "un" and once by [eos], the best prediction is 1/2 for
 * each, and both places cost −ln 1/2 = 0.693. */
#ifndef PULGA_FLOOR_H
#define PULGA_FLOOR_H

#include "model/shape/pattern.h"
#include "text/corpus/corpus.h"

/* The floor of the training pieces of a corpus read by lines, for a model of these patterns (L, H);
 * NULL: all. *seen becomes the most tokens that it sees at any position, if that is not all of
 * them, else 0. Takes memory for each target, and the time to sort them. */
double floor_of(const Corpus *corpus, const Pattern *patterns, int layers, int heads, int *seen);

/* The loss of a model that knows only how often each token is a target. */
double floor_unigram(const Corpus *corpus, int vocabulary);

#endif
