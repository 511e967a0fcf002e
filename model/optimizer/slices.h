/* slices.h: the trained numbers of a model, cut into slices of at most 16,384. A slice lies within
 * one tensor, and the first of each tensor begins where the tensor does. The cut follows from the
 * sizes of the model only. So a sum that is computed slice by slice, and then added in the order
 * of the slices, has the same bits whoever computes the parts. */
#ifndef PULGA_SLICES_H
#define PULGA_SLICES_H

#include "model/tensors.h"

typedef struct {
    size_t from; /* its first number in a block */
    size_t count;
    int tensor; /* in the list of gpt_tensors() */
    int stage;  /* of backward: see there */
    int owner;  /* the process that updates it */
} Slice;

/* Slices one after another that have the same stage and the same owner, with what lies between
 * them: what is sent at once. */
typedef struct {
    size_t from, count;
    int stage, owner;
} Run;

typedef struct {
    Slice *list; /* in the order of the block */
    int count;
    Run *runs;
    int run_count;
} Slices;

/* Each of `owners` processes gets about the same share of each stage, in a run of its own. If
 * matrices are `whole`, those of the blocks have one owner; then shares are about equal only over
 * all stages, each of which begins with another owner. */
Slices slices_new(const Tensor *tensors, int count, int owners, bool whole);
void slices_free(Slices *slices);

/* The sum of the squares of a slice of a block. */
double slice_squares(const Slice *slice, const Real *block);

#endif
