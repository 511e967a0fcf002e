/* dropout.h: y = x · mask, each element of the mask 0 with probability p and else 1/(1 − p).
 *
 * The mask is not stored: it is a function of the seed and of where the element stands, so
 * backward, dx = dy · mask, is the same call on the gradient. */
#ifndef PULGA_DROPOUT_H
#define PULGA_DROPOUT_H

#include "base/random.h"

/* What the masks of one batch depend on. */
typedef struct {
    double rate; /* p; 0 in evaluation: nothing is dropped    */
    uint32_t seed;
    uint32_t step;
    uint32_t first_row; /* of the batch, among the rows of its step  */
} Noise;

/* x (count) *= the mask of a row. Site: the layer, or layer · H + head; row: within the batch. */
void dropout_row(Real *x, int count, int row, RandomPurpose purpose, int site, Noise noise);

/* x (N, C) *= the masks of all rows. */
void dropout(Real *x, int N, int C, RandomPurpose purpose, int site, Noise noise);

#endif
