/* sum_tree.c: the sums of shards along the tree, compared with those that are written out. */

#include "base/parallel/threads.h"
#include "programs/train/team/shards.h"
#include "tests/helpers/close.h"

enum { SIZE = 10007, MOST = 32 };

/* What shard s has computed. */
static void shard(Real *block, int s)
{
    fill(block, SIZE, s);
}

/* The definition: a subtree is the sum of its halves. */
static void subtree(Real *sum, int first, int shards)
{
    shard(sum, first);
    if (shards == 1)
        return;
    Real *right = memory_new(SIZE, sizeof *right, "a test");
    subtree(sum, first, shards / 2);
    subtree(right, first + shards / 2, shards / 2);
    for (int i = 0; i < SIZE; i++)
        sum[i] += right[i];
    free(right);
}

/* Lists the subtrees of the shards from first up to end; returns how many there are. */
static int list(int *subtrees, int first, int end)
{
    int count = 0;
    for (; first < end; first += subtrees[count++])
        subtrees[count] = sum_tree_subtree(first, end);
    return count;
}

/* Shards first to end of a member are added up. The sums of all its subtrees go into `sums`. */
static int member(Real **sums, int *subtrees, int first, int end)
{
    const int count = list(subtrees, first, end);
    SumTree tree = sum_tree_new(first, end, SIZE);
    Real *block = memory_new(SIZE, sizeof *block, "a test");
    for (int s = first; s < end; s++) {
        Real *computed = memory_new(SIZE, sizeof *computed, "a test");
        shard(computed, s);
        for (int i = 0; i < SIZE; i++)
            block[i] += computed[i]; /* it was set to 0 */
        free(computed);
        sum_tree_add(&tree, s, block);
    }
    assert_int_equal(tree.waiting, count - 1);
    for (int b = 0; b < count; b++) {
        sums[b] = memory_new(SIZE, sizeof *block, "a test");
        memcpy(sums[b], b < count - 1 ? tree.sums[b] : block, SIZE * sizeof *block);
    }
    sum_tree_free(&tree);
    free(block);
    return count;
}

static void check(int shards, int members, const Real *wanted)
{
    Real *sums[MOST];
    int subtrees[MOST], count = 0;
    for (int m = 0; m < members; m++)
        count += member(sums + count, subtrees + count, shards * m / members,
                        shards * (m + 1) / members);
    assert_true(count <= shards);
    assert_int_equal(sum_tree_join(sums, subtrees, shards, SIZE), count);
    assert_memory_equal(sums[0], wanted, SIZE * sizeof *wanted);
    for (int i = 0; i < count; i++)
        free(sums[i]);
}

TEST(the_sum_is_the_tree_s_for_any_number_of_members)
{
    const int most = thread_limit();
    for (int shards = 1; shards <= MOST; shards *= 2) {
        Real *wanted = memory_new(SIZE, sizeof *wanted, "a test");
        subtree(wanted, 0, shards);
        for (int members = 1; members <= shards; members++) {
            thread_set_limit(1 + members % 3);
            check(shards, members, wanted);
        }
        free(wanted);
    }
    thread_set_limit(most);
}

/* One process keeps one sum for each level of the tree, none if there is one shard. */
TEST(few_sums_wait)
{
    assert_int_equal(sum_tree_most_waiting(0, 1), 0);
    assert_int_equal(sum_tree_most_waiting(0, 2), 1);
    assert_int_equal(sum_tree_most_waiting(0, 8), 3);
    assert_int_equal(sum_tree_most_waiting(2, 5), 1);
    assert_int_equal(sum_tree_most_waiting(3, 6), 2);
    for (int first = 0; first < SUM_TREE_MOST_SHARDS; first += 7)
        for (int end = first + 1; end <= SUM_TREE_MOST_SHARDS; end += 5)
            assert_true(sum_tree_most_waiting(first, end) < SUM_TREE_MOST_SUBTREES);
}

/* The losses are so different that another order would give another sum. */
TEST(losses_are_added_along_the_tree)
{
    double losses[8] = {1e16, 3, -1e16, 5, 7, 1e17, 11, -1e17};
    const double wanted = ((1e16 + 3) + (-1e16 + 5)) + ((7 + 1e17) + (11 + -1e17));
    const double sum = sum_tree_sum(losses, 8);
    assert_memory_equal(&sum, &wanted, sizeof sum);
}
