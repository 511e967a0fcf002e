/* shards.h: the shards that the sequences of a step are cut into. Each one's gradient is computed
 * by itself, and all are added along the tree of sum_tree.h, so the bits of a run depend on the
 * number of its shards, but not on who computes them.
 *
 * In a team, each member computes some of the shards. Then each of N members adds up an N-th of the
 * numbers: it receives them from all others, and sends them the sums. A member sends P·(N − 1)/N
 * of P numbers for each of its subtrees, and as many sums. */
#ifndef PULGA_SHARDS_H
#define PULGA_SHARDS_H

#include "sum_tree.h"

typedef struct {
    int count;       /* S */
    int first, end;  /* ours */
    size_t size;     /* P: the numbers of a gradient */
    Real *gradients; /* (P) of the shard that is computed; of the step in the end */
    double *losses;  /* (S) the sum of each one's losses */
    SumTree tree;    /* of our gradients */

    /* The subtrees of all members, in order: how many shards each has, who computes its sum, and
     * where those of its numbers are, or will arrive, that we add up. */
    int subtree_count, *subtrees, *holders;
    Real **sums;
} Shards;

/* The bytes that a member needs for the sums of `size` numbers, its own and those that it
 * receives. */
double shards_bytes(int count, size_t size);

/* gradients: where each shard's are computed, a block of `size` numbers. */
Shards shards_new(int count, Real *gradients, size_t size);
void shards_free(Shards *shards);

/* Adds a shard whose gradients were computed, and the sum of its losses: of ours, one after the
 * other. The gradients are set to 0 for the next one. */
void shards_add(Shards *shards, int shard, double loss);

/* Waits for the shards of the others. Then the gradients are those of the whole step, for all
 * members. Returns the sum of all losses. */
double shards_sum(Shards *shards);

#endif
