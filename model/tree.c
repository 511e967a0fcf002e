/* tree.c: the branches that wait are a stack. A new one is joined with the last of them as long as
 * the two are the halves of a larger branch, like the digits of a binary number that is counted
 * up. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"

/* Whether two branches, one right after the other, are the halves of a larger one. */
static bool are_halves(Branch left, Branch right)
{
    return left.shards == right.shards && left.first % (2 * left.shards) == 0;
}

/* With how many of the `waiting` branches, from the last on, a new one is joined; the new one
 * becomes the branch that they make up. */
static int joins(const Branch *branches, int waiting, Branch *new)
{
    int count = 0;
    for (; count < waiting && are_halves(branches[waiting - 1 - count], *new); count++)
        *new = (Branch){branches[waiting - 1 - count].first, 2 * new->shards};
    return count;
}

/* Walks through the shards, and notes the most branches that there were before the last one. */
static int walk(Branch *branches, int first, int end, int *most)
{
    int waiting = 0;
    *most = 0;
    for (int shard = first; shard < end; shard++) {
        Branch new = {shard, 1};
        *most = max_int(*most, waiting);
        waiting -= joins(branches, waiting, &new);
        branches[waiting++] = new;
    }
    return waiting;
}

int tree_first(int shards, int member, int members)
{
    return (int)((int64_t)shards * member / members);
}

/* The others have at most as many branches as shards, and a member receives its share of each. */
double tree_bytes(int shards, int member, int members, size_t numbers)
{
    const int first = tree_first(shards, member, members);
    const int end = tree_first(shards, member + 1, members);
    const double received = (double)(shards - (end - first)) / members;
    return (tree_most_waiting(first, end) + received) * (double)numbers * sizeof(Real);
}

int tree_branches(Branch *branches, int first, int end)
{
    int most;
    return walk(branches, first, end, &most);
}

int tree_most_waiting(int first, int end)
{
    Branch branches[TREE_MOST_BRANCHES];
    int most;
    walk(branches, first, end, &most);
    return most;
}

Tree tree_new(size_t size, int most_waiting)
{
    Tree tree = {.size = size};
    for (int i = 0; i < most_waiting; i++)
        tree.sums[i] = memory_new(size, sizeof(Real), "the gradients of shards");
    return tree;
}

void tree_free(Tree *tree)
{
    for (int i = 0; i < TREE_MOST_BRANCHES; i++)
        free(tree->sums[i]);
}

void tree_begin(Tree *tree)
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

/* block += the sums of the last `count` branches; then it moves to `keep`, unless that is NULL. */
static void join_last(const Tree *tree, int count, Real *block, Real *keep)
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

void tree_add(Tree *tree, int shard, Real *block)
{
    Branch new = {shard, 1};
    const int count = joins(tree->branches, tree->waiting, &new);
    join_last(tree, count, block, tree->sums[tree->waiting - count]);
    tree->waiting -= count;
    tree->branches[tree->waiting++] = new;
}

void tree_add_last(const Tree *tree, int shard, Real *block)
{
    Branch last = {shard, 1};
    const int joined = joins(tree->branches, tree->waiting, &last);
    if (joined)
        join_last(tree, joined, block, NULL);
}

void tree_join(Real *const *sums, const Branch *branches, int count, size_t numbers)
{
    Branch waiting[TREE_MOST_SHARDS];
    int place[TREE_MOST_SHARDS], used = 0;
    for (int b = 0; b < count; b++) {
        Branch new = branches[b];
        const int joined = joins(waiting, used, &new);
        place[used] = b;
        for (int i = 0; i < joined; i++, used--)
            add(sums[place[used - 1]], sums[place[used]], numbers);
        waiting[used++] = new;
    }
}

double tree_sum(double *numbers, int shards)
{
    for (int step = 1; step < shards; step *= 2)
        for (int i = 0; i + step < shards; i += 2 * step)
            numbers[i] += numbers[i + step];
    return numbers[0];
}
