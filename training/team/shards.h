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
    int count;         /* S */
    int first, end;    /* ours */
    size_t size;       /* P: the numbers of a gradient */
    double *losses;    /* (S) the sum of each one's losses */
    SumTree tree;      /* of our gradients */
    Subtree *subtrees; /* of all members, in order */
    int *holders;      /* the member that has the sum of each */
    int subtree_count;
    Real *received; /* (subtrees of others, share) what they have of the numbers that we add up */
} Shards;

/* size: the numbers of a gradient. */
Shards shards_new(int count, size_t size);
void shards_free(Shards *shards);

/* Begins a step. Then our shards follow in order. */
void shards_begin(Shards *shards);

/* Adds a shard: the sum of its losses and its gradients, which are set to 0 for the next one unless
 * it is our last. */
void shards_add(Shards *shards, int shard, double loss, Real *gradients);

/* Waits for the shards of the others. Then these are the gradients of the whole step, for all
 * members. Returns the sum of all losses. */
double shards_sum(Shards *shards, Real *gradients);

#endif
