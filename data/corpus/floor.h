/* floor.h: the lowest loss that a text allows, by counting.
 *
 * A model that sees a prefix can do no better than to give each next token its relative frequency
 * after that prefix; the mean of −ln of those frequencies over all targets is the floor. A model
 * with windows sees less: the position and the last `reach` tokens. */
#ifndef PULGA_FLOOR_H
#define PULGA_FLOOR_H

#include "corpus.h"
#include "model/layers/pattern.h"

/* Over the training pieces of a corpus read by lines. */
double floor_of(const Corpus *corpus, int reach);

/* The loss of knowing nothing but how often each token is a target. */
double floor_unigram(const Corpus *corpus, int vocabulary);

#endif
