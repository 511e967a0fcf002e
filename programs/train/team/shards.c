/* shards.c: messages between two members arrive in the order in which they were begun: both sides
 * walk the subtrees in order. */
#include "shards.h"

#include "base/parallel/threads.h"
#include "team.h"

/* A process counts its shards in binary. The sums that wait are the digits that are 1;
 * a shard that carries is added to as many of them as it clears. */

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

/* The first shard of a member: member m of N has those from S·m/N up to S·(m + 1)/N. */
static int first_of(int shards, int member)
{
    return (int)((int64_t)shards * member / team_size());
}

/* The first of the numbers that a member adds up. */
static size_t first_number(const Shards *s, int member)
{
    return s->tree.size * (size_t)member / (size_t)team_size();
}

static size_t numbers_of(const Shards *s, int member)
{
    return first_number(s, member + 1) - first_number(s, member);
}

/* ---- Memory ---- */

/* The others have at most as many subtrees as shards, and a member receives its part of each. */
double shards_bytes(int count, size_t size)
{
    const int first = first_of(count, team_member()), end = first_of(count, team_member() + 1);
    const double received = (double)(count - (end - first)) / team_size();
    return (sum_tree_most_waiting(first, end) + received) * (double)size * sizeof(Real);
}

/* Lists the subtrees of all members. Of our sums, those that wait lie in the tree, and the last one
 * is left in the gradients. */
static void list_subtrees(Shards *s)
{
    const int us = team_member();
    int first = 0;
    for (int m = 0; m < team_size(); m++)
        for (const int end = first_of(s->count, m + 1); first < end;) {
            const int i = s->subtree_count++;
            s->holders[i] = m;
            s->subtrees[i] = sum_tree_subtree(first, end);
            first += s->subtrees[i];
            if (m != us)
                s->sums[i] = memory_new(numbers_of(s, us), sizeof(Real),
                                        "the gradients of the other members");
            else if (first == end)
                s->sums[i] = s->gradients + first_number(s, us);
            else
                s->sums[i] = s->tree.sums[s->tree.waiting++] + first_number(s, us);
        }
}

Shards shards_new(int count, Real *gradients, size_t size)
{
    Shards s = {.count = count, .gradients = gradients};
    s.losses = memory_new((size_t)count, sizeof *s.losses, "the losses of shards");
    s.subtrees = memory_new((size_t)count, sizeof *s.subtrees, "the list of shards");
    s.holders = memory_new((size_t)count, sizeof *s.holders, "the list of shards");
    s.sums = memory_new((size_t)count, sizeof *s.sums, "the list of shards");
    s.tree = sum_tree_new(first_of(count, team_member()), first_of(count, team_member() + 1), size);
    list_subtrees(&s);
    return s;
}

void shards_free(Shards *s)
{
    for (int i = 0; i < s->subtree_count; i++)
        if (s->holders[i] != team_member())
            free(s->sums[i]);
    sum_tree_free(&s->tree);
    free(s->losses);
    free(s->subtrees);
    free(s->holders);
    free(s->sums);
}

/* ---- Adding ---- */

void shards_add(Shards *s, int shard, double loss)
{
    s->losses[shard] = loss;
    sum_tree_add(&s->tree, shard, s->gradients);
}

/* Sends each member what it adds up of our sums, and receives what we add up of theirs. */
static void give(const Shards *s)
{
    const int us = team_member();
    for (int i = 0; i < s->subtree_count; i++) {
        const int holder = s->holders[i];
        if (holder != us)
            team_receive(holder, s->sums[i], numbers_of(s, us) * sizeof(Real));
        for (int m = 0; m < team_size() && holder == us; m++)
            if (m != us)
                team_send(m, s->sums[i] - first_number(s, us) + first_number(s, m),
                          numbers_of(s, m) * sizeof(Real));
    }
    team_wait();
}

/* Sends all members our sums and our losses, and receives theirs. */
static void spread(const Shards *s)
{
    const int us = team_member();
    for (int m = 0; m < team_size(); m++) {
        const int first = first_of(s->count, m), end = first_of(s->count, m + 1);
        if (m == us)
            continue;
        team_send(m, s->gradients + first_number(s, us), numbers_of(s, us) * sizeof(Real));
        team_send(m, s->losses + s->tree.first,
                  (size_t)(s->tree.end - s->tree.first) * sizeof *s->losses);
        team_receive(m, s->gradients + first_number(s, m), numbers_of(s, m) * sizeof(Real));
        team_receive(m, s->losses + first, (size_t)(end - first) * sizeof *s->losses);
    }
    team_wait();
}

double shards_sum(Shards *s)
{
    if (team_size() > 1) {
        const size_t numbers = numbers_of(s, team_member());
        give(s);
        sum_tree_join(s->sums, s->subtrees, s->count, numbers);
        memmove(s->gradients + first_number(s, team_member()), s->sums[0], numbers * sizeof(Real));
        spread(s);
    }
    return sum_tree_sum(s->losses, s->count);
}
