/* tree.h: adds what the shards of a step have computed, along one binary tree over their numbers:
 *
 *     ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
 *
 * Who adds does not matter to the bits. A process that computes a range of the shards, one after
 * another, adds them up as far as the tree allows. What it is left with are the sums of branches:
 * of 2^k shards from a multiple of 2^k on. Shards 3 to 7 leave the branches 3 and 4 to 7; all
 * shards leave one, the whole. */
#ifndef PULGA_TREE_H
#define PULGA_TREE_H

#include "base/base.h"

/* A step has at most so many shards, and a range of them so many branches: two of each size. */
enum { TREE_MOST_SHARDS = 1 << 10, TREE_MOST_BRANCHES = 20 };

typedef struct {
    int first, shards;
} Branch;

/* What a process has added up so far: the branches that wait for the one to their right. */
typedef struct {
    int waiting;
    Branch branches[TREE_MOST_BRANCHES];
    Real *sums[TREE_MOST_BRANCHES]; /* the sum of each: blocks of `size` numbers */
    size_t size;
} Tree;

/* The first shard of a member of a team: member m of N has those from S·m/N up to S·(m + 1)/N. */
int tree_first(int shards, int member, int members);

/* The bytes that a member needs for the sums of a model of so many numbers, its own and those that
 * it receives. */
double tree_bytes(int shards, int member, int members, size_t numbers);

/* The branches of the shards from first up to end, in order; returns how many they are. */
int tree_branches(Branch *branches, int first, int end);

/* How many sums wait at most while these shards are computed. */
int tree_most_waiting(int first, int end);

/* For blocks of so many numbers, with room for so many sums. */
Tree tree_new(size_t size, int most_waiting);
void tree_free(Tree *tree);

/* Begins a step. */
void tree_begin(Tree *tree);

/* Takes over what a shard has computed, and sets the block to 0 for the next one. */
void tree_add(Tree *tree, int shard, Real *block);

/* Makes the last shard's block the sum of the last branch. */
void tree_add_last(const Tree *tree, int shard, Real *block);

/* Adds the sums of all branches of a step, in order, at the place of the first. The others are
 * overwritten. */
void tree_join(Real *const *sums, const Branch *branches, int count, size_t numbers);

/* The sum of one number of each shard; their places are overwritten. */
double tree_sum(double *numbers, int shards);

#endif
