/* dropout.h: y = x∘mask, each element of the mask 0 with probability p and else 1/(1 − p).
 *
 * The mask is not stored: it is a function of the seed and of where the element stands, so
 * backward, dx = dy∘mask, is the same call on the gradient. */
#ifndef PULGA_DROPOUT_H
#define PULGA_DROPOUT_H

#include "base/numbers/random.h"
#include "model/shape/batch.h"

/* What the masks of a step depend on. */
typedef struct {
    double rate; /* p; 0 in evaluation: nothing is dropped */
    uint32_t seed;
    uint32_t step;
} Dropout;

/* x (N, C) *= its mask. Site: the layer, or layer · H + head. */
void dropout_apply(Real *x, const Batch *batch, int C, RandomPurpose purpose, int site,
                   Dropout dropout);

/* Dropout of the columns first, first + 1, … of one row, of which x is the first; `row` counts
 * from the first row of the step. */
void dropout_apply_row(Real *x, int first, int count, uint32_t row, RandomPurpose purpose, int site,
                       Dropout dropout);

#endif
