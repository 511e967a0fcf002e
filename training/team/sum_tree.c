/* sum_tree.c: the subtrees that wait are a stack. A new one is joined with the last of them as long
 * as the two are the halves of a larger subtree, like the digits of a binary number that is
 * counted up. */
#include "sum_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"

/* Whether two subtrees, one right after the other, are the halves of a larger one. */
static bool are_halves(Subtree left, Subtree right)
{
    return left.shards == right.shards && left.first % (2 * left.shards) == 0;
}

/* With how many of the `waiting` subtrees, from the last on, a new one is joined; the new one
 * becomes the subtree that they make up. */
static int joins(const Subtree *subtrees, int waiting, Subtree *new)
{
    int count = 0;
    for (; count < waiting && are_halves(subtrees[waiting - 1 - count], *new); count++)
        *new = (Subtree){subtrees[waiting - 1 - count].first, 2 * new->shards};
    return count;
}

/* Walks through the shards, and notes the most subtrees that there were before the last one. */
static int walk(Subtree *subtrees, int first, int end, int *most)
{
    int waiting = 0;
    *most = 0;
    for (int shard = first; shard < end; shard++) {
        Subtree new = {shard, 1};
        *most = max_int(*most, waiting);
        waiting -= joins(subtrees, waiting, &new);
        subtrees[waiting++] = new;
    }
    return waiting;
}

int sum_tree_first(int shards, int member, int members)
{
    return (int)((int64_t)shards * member / members);
}

/* The others have at most as many subtrees as shards, and a member receives its share of each. */
double sum_tree_bytes(int shards, int member, int members, size_t numbers)
{
    const int first = sum_tree_first(shards, member, members);
    const int end = sum_tree_first(shards, member + 1, members);
    const double received = (double)(shards - (end - first)) / members;
    return (sum_tree_most_waiting(first, end) + received) * (double)numbers * sizeof(Real);
}

int sum_tree_subtrees(Subtree *subtrees, int first, int end)
{
    int most;
    return walk(subtrees, first, end, &most);
}

int sum_tree_most_waiting(int first, int end)
{
    Subtree subtrees[SUM_TREE_MOST_SUBTREES];
    int most;
    walk(subtrees, first, end, &most);
    return most;
}

SumTree sum_tree_new(size_t size, int most_waiting)
{
    SumTree tree = {.size = size};
    for (int i = 0; i < most_waiting; i++)
        tree.sums[i] = memory_new(size, sizeof(Real), "the gradients of shards");
    return tree;
}

void sum_tree_free(SumTree *tree)
{
    for (int i = 0; i < SUM_TREE_MOST_SUBTREES; i++)
        free(tree->sums[i]);
}

void sum_tree_begin(SumTree *tree)
{
    tree->waiting = 0;
}

static void add(Real *restrict sum, const Real *restrict x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += x[i];
}

/* Numbers that are added up, through all levels, while they are in the cache. */
enum { AT_ONCE = 1 << 12 };

/* block += the sums of the last `count` subtrees; then it moves to `keep`, unless that is NULL. */
static void join_last(const SumTree *tree, int count, Real *block, Real *keep)
{
    const size_t size = tree->size;
    OMP(parallel for)
    for (size_t at = 0; at < size; at += AT_ONCE) {
        const size_t numbers = size - at < AT_ONCE ? size - at : AT_ONCE;
        for (int i = 1; i <= count; i++)
            add(block + at, tree->sums[tree->waiting - i] + at, numbers);
        if (keep) {
            memcpy(keep + at, block + at, numbers * sizeof *block);
            memset(block + at, 0, numbers * sizeof *block);
        }
    }
}

void sum_tree_add(SumTree *tree, int shard, Real *block)
{
    Subtree new = {shard, 1};
    const int count = joins(tree->subtrees, tree->waiting, &new);
    join_last(tree, count, block, tree->sums[tree->waiting - count]);
    tree->waiting -= count;
    tree->subtrees[tree->waiting++] = new;
}

void sum_tree_add_last(const SumTree *tree, int shard, Real *block)
{
    Subtree last = {shard, 1};
    const int joined = joins(tree->subtrees, tree->waiting, &last);
    if (joined)
        join_last(tree, joined, block, NULL);
}

void sum_tree_join(Real *const *sums, const Subtree *subtrees, int count, size_t numbers)
{
    Subtree waiting[SUM_TREE_MOST_SHARDS];
    int place[SUM_TREE_MOST_SHARDS], used = 0;
    for (int b = 0; b < count; b++) {
        Subtree new = subtrees[b];
        const int joined = joins(waiting, used, &new);
        place[used] = b;
        for (int i = 0; i < joined; i++, used--)
            add(sums[place[used - 1]], sums[place[used]], numbers);
        waiting[used++] = new;
    }
}

double sum_tree_sum(double *numbers, int shards)
{
    for (int step = 1; step < shards; step *= 2)
        for (int i = 0; i + step < shards; i += 2 * step)
            numbers[i] += numbers[i + step];
    return numbers[0];
}
