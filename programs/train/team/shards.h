/* shards.h: the shards that the sequences of a step are cut into. Each one's gradient is computed
 * by itself, and all are added along a tree, so the bits of a run depend on the number of its
 * shards, but not on who computes them.
 *
 * In a team, each member computes some of the shards. Then each of N members adds up an N-th of the
 * numbers: it receives them from all others, and sends them the sums. A member sends P·(N − 1)/N
 * of P numbers for each of its subtrees, and as many sums. */
#ifndef PULGA_SHARDS_H
#define PULGA_SHARDS_H

#include "base/base.h"

/* ---- The tree ---- */

/* Adds what the shards of a step have computed, along one binary tree over their numbers:
 *
 *     ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
 *
 * Who adds does not matter to the bits. A process that computes a range of the shards, one after
 * another, adds them up as far as the tree allows. What it is left with are the sums of subtrees:
 * of 2^k shards from a multiple of 2^k on. Shards 3 to 7 leave the subtrees 3 and 4 to 7; all
 * shards leave one, the whole. */

/* The most shards of a step, and the most subtrees of a range of them: two of each size. */
enum { SUM_TREE_MOST_SHARDS = 1 << 10, SUM_TREE_MOST_SUBTREES = 20 };

/* What a process has added up so far of its shards, from `first` up to `end`. */
typedef struct {
    int first, end;
    int waiting;                        /* subtrees that wait for the one to their right */
    Real *sums[SUM_TREE_MOST_SUBTREES]; /* the sum of each: blocks of `size` numbers */
    size_t size;
} SumTree;

/* The shards of the largest subtree that begins at shard `first` and ends by `end`: the subtrees of
 * a range are this one, and those of what follows it. */
int sum_tree_subtree(int first, int end);

/* How many sums wait at most while these shards are computed. */
int sum_tree_most_waiting(int first, int end);

/* size: the numbers of a block. */
SumTree sum_tree_new(int first, int end, size_t size);
void sum_tree_free(SumTree *tree);

/* Takes over what the next shard has computed, and sets the block to 0 for the one after it. After
 * the last shard the block has the sum of the last subtree; those of the others wait in order. */
void sum_tree_add(SumTree *tree, int shard, Real *block);

/* Adds the sums of subtrees that make up one of `shards` shards, at the place of the first. They
 * come in order, and `subtrees` has the shards of each. The others are overwritten. Returns how
 * many they were. */
int sum_tree_join(Real *const *sums, const int *subtrees, int shards, size_t numbers);

/* The sum of one number of each shard; their places are overwritten. */
double sum_tree_sum(double *numbers, int shards);

typedef struct {
    int count;       /* S */
    Real *gradients; /* (P) of the shard that is computed; of the step in the end */
    double *losses;  /* (S) the sum of each one's losses */
    SumTree tree;    /* of our gradients: which shards are ours, and P, their size */

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
