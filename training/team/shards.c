/* shards.c: messages between two members arrive in the order in which they were begun: both sides
 * walk the subtrees in order. */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "team.h"

/* ---- Memory ---- */

/* The first shard of a member. */
static int first_of(int shards, int member)
{
    return sum_tree_first(shards, member, team_size());
}

/* The first of the numbers that a member adds up. */
static size_t first_number(const Shards *s, int member)
{
    return s->size * (size_t)member / (size_t)team_size();
}

static size_t numbers_of(const Shards *s, int member)
{
    return first_number(s, member + 1) - first_number(s, member);
}

/* Lists the subtrees of all members. */
static void list_subtrees(Shards *s)
{
    s->subtrees = memory_new((size_t)s->count, sizeof *s->subtrees, "the list of shards");
    s->holders = memory_new((size_t)s->count, sizeof *s->holders, "the list of shards");
    for (int m = 0; m < team_size(); m++) {
        const int more = sum_tree_subtrees(s->subtrees + s->subtree_count, first_of(s->count, m),
                                           first_of(s->count, m + 1));
        for (int i = 0; i < more; i++)
            s->holders[s->subtree_count++] = m;
    }
}

Shards shards_new(int count, size_t size)
{
    Shards s = {.count = count,
                .first = first_of(count, team_member()),
                .end = first_of(count, team_member() + 1),
                .size = size};
    s.losses = memory_new((size_t)count, sizeof *s.losses, "the losses of shards");
    s.tree = sum_tree_new(size, sum_tree_most_waiting(s.first, s.end));
    list_subtrees(&s);
    if (team_size() > 1)
        s.received = memory_new((size_t)s.subtree_count * numbers_of(&s, team_member()),
                                sizeof *s.received, "the gradients of the other members");
    return s;
}

void shards_free(Shards *s)
{
    sum_tree_free(&s->tree);
    free(s->losses);
    free(s->subtrees);
    free(s->holders);
    free(s->received);
}

/* ---- Our shards ---- */

void shards_begin(Shards *s)
{
    sum_tree_begin(&s->tree);
}

void shards_add(Shards *s, int shard, double loss, Real *gradients)
{
    s->losses[shard] = loss;
    if (shard + 1 < s->end)
        sum_tree_add(&s->tree, shard, gradients);
    else
        sum_tree_add_last(&s->tree, shard, gradients);
}

/* ---- All shards ---- */

/* Where the sum of subtree b is: our last one lies in the gradients, our others wait in the tree,
 * and those of other members have arrived, as far as we add them up. */
static Real *sum_at(const Shards *s, int b, Real *gradients)
{
    const size_t first = first_number(s, team_member());
    int own = 0;
    if (s->holders[b] != team_member())
        return s->received + (size_t)b * numbers_of(s, team_member());
    if (b + 1 == s->subtree_count || s->holders[b + 1] != team_member())
        return gradients + first;
    for (int i = 0; i < b; i++)
        own += s->holders[i] == team_member();
    return s->tree.sums[own] + first;
}

/* Sends each member what it adds up, and receives what we do. */
static void give(const Shards *s, Real *gradients)
{
    const size_t first = first_number(s, team_member());
    for (int b = 0; b < s->subtree_count; b++)
        for (int m = 0; m < team_size(); m++) {
            Real *sum = sum_at(s, b, gradients);
            if (s->holders[b] == team_member() && m != team_member())
                team_send(m, sum - first + first_number(s, m), numbers_of(s, m) * sizeof *sum);
            else if (s->holders[b] == m && m != team_member())
                team_receive(m, sum, numbers_of(s, team_member()) * sizeof *sum);
        }
    team_wait();
}

/* Adds up our numbers, a few at a time. */
static void join(const Shards *s, Real *gradients)
{
    enum { AT_ONCE = 1 << 12 };
    const size_t size = numbers_of(s, team_member());
    Real *ours = gradients + first_number(s, team_member());
    OMP(parallel for)
    for (size_t at = 0; at < size; at += AT_ONCE) {
        const size_t count = size - at < AT_ONCE ? size - at : AT_ONCE;
        Real *sums[SUM_TREE_MOST_SHARDS];
        for (int b = 0; b < s->subtree_count; b++)
            sums[b] = sum_at(s, b, gradients) + at;
        sum_tree_join(sums, s->subtrees, s->subtree_count, count);
        if (sums[0] != ours + at)
            memcpy(ours + at, sums[0], count * sizeof *ours);
    }
}

/* Sends all members our sums and our losses, and receives theirs. */
static void spread(const Shards *s, Real *gradients)
{
    const int us = team_member();
    for (int m = 0; m < team_size(); m++) {
        const int first = first_of(s->count, m), end = first_of(s->count, m + 1);
        if (m == us)
            continue;
        team_send(m, gradients + first_number(s, us), numbers_of(s, us) * sizeof *gradients);
        team_send(m, s->losses + s->first, (size_t)(s->end - s->first) * sizeof *s->losses);
        team_receive(m, gradients + first_number(s, m), numbers_of(s, m) * sizeof *gradients);
        team_receive(m, s->losses + first, (size_t)(end - first) * sizeof *s->losses);
    }
    team_wait();
}

double shards_sum(Shards *s, Real *gradients)
{
    if (team_size() > 1) {
        give(s, gradients);
        join(s, gradients);
        spread(s, gradients);
    }
    return sum_tree_sum(s->losses, s->count);
}
