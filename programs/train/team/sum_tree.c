/* sum_tree.c: a process counts its shards in binary. The sums that wait are the digits that are 1;
 * a shard that carries is added to as many of them as it clears. */
#include "sum_tree.h"

#include <stdlib.h>

#include "base/parallel/threads.h"

/* ---- Which sums are added ---- */

int sum_tree_subtree(int first, int end)
{
    int shards = 1;
    while (first % (2 * shards) == 0 && first + 2 * shards <= end)
        shards *= 2;
    return shards;
}

/* How many subtrees of a process whose shards begin at `first` end with this one: one of 2 shards,
 * of 4, and so on. */
static int subtrees_ending(int first, int shard)
{
    int count = 0, end = shard + 1;
    for (int shards = 2; end % shards == 0 && end - shards >= first; shards *= 2)
        count++;
    return count;
}

int sum_tree_most_waiting(int first, int end)
{
    int waiting = 0, most = 0;
    for (int shard = first; shard < end - 1; shard++) {
        waiting += 1 - subtrees_ending(first, shard);
        most = max_int(most, waiting);
    }
    return most;
}

/* ---- Adding ---- */

SumTree sum_tree_new(int first, int end, size_t size)
{
    SumTree tree = {.first = first, .end = end, .size = size};
    const int most = sum_tree_most_waiting(first, end);
    for (int i = 0; i < most; i++)
        tree.sums[i] = memory_new(size, sizeof(Real), "the gradients of shards");
    return tree;
}

void sum_tree_free(SumTree *tree)
{
    for (int i = 0; i < SUM_TREE_MOST_SUBTREES; i++)
        free(tree->sums[i]);
}

static void add(Real *restrict sum, const Real *restrict x, size_t count)
{
    OMP(parallel for simd)
    for (size_t i = 0; i < count; i++)
        sum[i] += x[i];
}

static void move(Real *restrict to, Real *restrict block, size_t count)
{
    OMP(parallel for simd)
    for (size_t i = 0; i < count; i++) {
        to[i] = block[i];
        block[i] = 0;
    }
}

void sum_tree_add(SumTree *tree, int shard, Real *block)
{
    if (shard == tree->first)
        tree->waiting = 0;
    for (int i = subtrees_ending(tree->first, shard); i > 0; i--)
        add(block, tree->sums[--tree->waiting], tree->size);
    if (shard < tree->end - 1)
        move(tree->sums[tree->waiting++], block, tree->size);
}

/* A subtree is there, or it is the sum of its halves. */
int sum_tree_join(Real *const *sums, const int *subtrees, int shards, size_t numbers)
{
    if (*subtrees == shards)
        return 1;
    const int left = sum_tree_join(sums, subtrees, shards / 2, numbers);
    const int right = sum_tree_join(sums + left, subtrees + left, shards / 2, numbers);
    add(sums[0], sums[left], numbers);
    return left + right;
}

double sum_tree_sum(double *numbers, int shards)
{
    for (int step = 1; step < shards; step *= 2)
        for (int i = 0; i + step < shards; i += 2 * step)
            numbers[i] += numbers[i + step];
    return numbers[0];
}
