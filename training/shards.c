/* shards.c: messages between two members arrive in the order in which they were begun: both sides
 * walk the stages from the last to the first, in each stage the runs of slices in order, and for
 * each run the branches in order. */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel/team.h"
#include "base/parallel/threads.h"

/* The first shard of a member. */
static int first_of(int shards, int member)
{
    return tree_first(shards, member, team_size());
}

/* ---- Memory ---- */

/* Lists the branches of all members. */
static void list_branches(Shards *s)
{
    s->branches = memory_new((size_t)s->count, sizeof *s->branches, "the list of shards");
    s->holders = memory_new((size_t)s->count, sizeof *s->holders, "the list of shards");
    for (int m = 0; m < team_size(); m++) {
        const int more = tree_branches(s->branches + s->branch_count, first_of(s->count, m),
                                       first_of(s->count, m + 1));
        for (int i = 0; i < more; i++)
            s->holders[s->branch_count++] = m;
    }
}

/* How many of them are ours: they are side by side. */
static int own_branches(const Shards *s)
{
    Branch own[TREE_MOST_BRANCHES];
    return tree_branches(own, s->first, s->end);
}

static void place_runs(Shards *s)
{
    const Slices *slices = &s->optimizer->slices;
    s->places = memory_new((size_t)slices->run_count, sizeof *s->places, "the list of slices");
    for (int i = 0; i < slices->run_count; i++)
        if (slices->runs[i].owner == team_member()) {
            s->places[i] = s->owned;
            s->owned += slices->runs[i].count;
        }
}

/* Notes, in a row of `shared` unless it is NULL, where a member's losses and squares belong;
 * returns how many there are. */
static size_t list_shared(const Shards *s, int member, double **row)
{
    const Slices *slices = &s->optimizer->slices;
    size_t count = 0;
    for (int i = first_of(s->count, member); i < first_of(s->count, member + 1); i++, count++)
        if (row)
            row[count] = &s->losses[i];
    for (int i = 0; i < slices->count; i++)
        if (slices->list[i].owner == member) {
            if (row)
                row[count] = &s->optimizer->squares[i];
            count++;
        }
    return count;
}

/* What a team of several needs. */
static void prepare_messages(Shards *s)
{
    const size_t members = (size_t)team_size();
    place_runs(s);
    s->received = memory_new((size_t)(s->branch_count - own_branches(s)) * s->owned,
                             sizeof *s->received, "the gradients of the other members");
    for (int m = 0; m < team_size(); m++) {
        const size_t count = list_shared(s, m, NULL);
        s->each = count > s->each ? count : s->each;
    }
    s->shared = memory_new(members * s->each, sizeof *s->shared, "what members share");
    s->collected = memory_new(members * s->each, sizeof *s->collected, "what members share");
    for (int m = 0; m < team_size(); m++)
        list_shared(s, m, s->shared + (size_t)m * s->each);
}

Shards shards_new(int count, Gpt *gpt, Optimizer *optimizer)
{
    Shards s = {.gpt = gpt,
                .optimizer = optimizer,
                .count = count,
                .first = first_of(count, team_member()),
                .end = first_of(count, team_member() + 1)};
    s.losses = memory_new((size_t)count, sizeof *s.losses, "the losses of shards");
    s.tree = tree_new(gpt->size, tree_most_waiting(s.first, s.end));
    list_branches(&s);
    if (team_size() > 1)
        prepare_messages(&s);
    return s;
}

void shards_free(Shards *s)
{
    tree_free(&s->tree);
    free(s->losses);
    free(s->branches);
    free(s->holders);
    free(s->received);
    free(s->places);
    free(s->shared);
    free(s->collected);
}

/* ---- Gradients ---- */

void shards_begin(Shards *s)
{
    tree_begin(&s->tree);
    s->stage = s->gpt->config.layers + 2; /* none */
}

void shards_keep(Shards *s, int shard)
{
    tree_add(&s->tree, shard, s->gpt->gradient_block);
}

/* Where run i of the sum of branch b lies. Of our branches, the last one lies in the model's
 * gradients, the others wait in the tree. */
static Real *sum_at(const Shards *s, int i, int b)
{
    const Run *run = &s->optimizer->slices.runs[i];
    int own = 0, before = 0; /* of our branches and of the others, how many come before b */
    for (int j = 0; j < b; j++)
        s->holders[j] == team_member() ? own++ : before++;
    if (s->holders[b] != team_member())
        return s->received + (size_t)before * s->owned + s->places[i];
    const bool last = b + 1 == s->branch_count || s->holders[b + 1] != team_member();
    return (last ? s->gpt->gradient_block : s->tree.sums[own]) + run->from;
}

/* Begins to send a run's sums to its owner, or to receive them. */
static void exchange_run(const Shards *s, int i)
{
    const Run *run = &s->optimizer->slices.runs[i];
    const bool ours = run->owner == team_member();
    const size_t bytes = run->count * sizeof(Real);
    for (int b = 0; b < s->branch_count; b++)
        if (!ours && s->holders[b] == team_member())
            team_send(run->owner, sum_at(s, i, b), bytes);
        else if (ours && s->holders[b] != team_member())
            team_receive(s->holders[b], sum_at(s, i, b), bytes);
}

void shards_ready(void *shards, int stage)
{
    Shards *s = shards;
    const Slices *slices = &s->optimizer->slices;
    s->stage = stage;
    for (int i = 0; i < slices->run_count; i++) {
        const Run *run = &slices->runs[i];
        if (run->stage != stage)
            continue;
        tree_add_last(&s->tree, s->end - 1, s->gpt->gradient_block, run->from, run->count);
        exchange_run(s, i);
    }
    team_progress();
}

/* The whole sum of a run that we own; another's gradients are let go. */
static void join_run(const Shards *s, int i)
{
    const Run *run = &s->optimizer->slices.runs[i];
    Real *gradients = s->gpt->gradient_block + run->from;
    if (run->owner != team_member()) {
        memset(gradients, 0, run->count * sizeof *gradients);
        return;
    }
    Real *sums[TREE_MOST_SHARDS];
    for (int b = 0; b < s->branch_count; b++)
        sums[b] = sum_at(s, i, b);
    tree_join(sums, s->branches, s->branch_count, run->count);
    if (sums[0] != gradients)
        memcpy(gradients, sums[0], run->count * sizeof *gradients);
}

/* Everybody learns the losses of all shards and the squares of all slices. */
static void collect(const Shards *s)
{
    const size_t own = (size_t)team_member() * s->each, all = (size_t)team_size() * s->each;
    for (size_t i = own; i < own + s->each; i++)
        if (s->shared[i])
            s->collected[i] = *s->shared[i];
    team_collect(s->collected, s->each * sizeof *s->collected);
    for (size_t i = 0; i < all; i++)
        if (s->shared[i])
            *s->shared[i] = s->collected[i];
}

double shards_finish(Shards *s)
{
    while (s->stage > 0) /* those that no shard was ready with */
        shards_ready(s, s->stage - 1);
    team_wait();
    const int runs = s->optimizer->slices.run_count;
    if (team_size() > 1) {
        OMP(parallel for schedule(dynamic))
        for (int i = 0; i < runs; i++)
            join_run(s, i);
    }
    optimizer_square(s->optimizer, s->gpt);
    if (team_size() > 1)
        collect(s);
    return tree_sum(s->losses, s->count);
}

/* ---- Weights and moments ---- */

void shards_spread_weights(Shards *s)
{
    const Slices *slices = &s->optimizer->slices;
    for (int i = 0; i < slices->run_count; i++) {
        const Run *run = &slices->runs[i];
        Real *weights = s->gpt->weight_block + run->from;
        const size_t bytes = run->count * sizeof *weights;
        if (run->owner != team_member())
            team_receive(run->owner, weights, bytes);
        for (int m = 0; run->owner == team_member() && m < team_size(); m++)
            if (m != team_member())
                team_send(m, weights, bytes);
    }
    team_wait();
}

/* Sends the slices of a block from their owners to the leader, or from the leader to them. */
static void move(const Shards *s, Real *block, bool to_leader)
{
    const Slices *slices = &s->optimizer->slices;
    for (int i = 0; i < slices->run_count; i++) {
        const Run *run = &slices->runs[i];
        const int from = to_leader ? run->owner : 0, to = to_leader ? 0 : run->owner;
        const size_t bytes = run->count * sizeof *block;
        if (from == to)
            continue;
        if (from == team_member())
            team_send(to, block + run->from, bytes);
        if (to == team_member())
            team_receive(from, block + run->from, bytes);
    }
    team_wait();
}

void shards_gather_moments(Shards *s)
{
    move(s, s->optimizer->m, true);
    move(s, s->optimizer->v, true);
}

void shards_give_moments(Shards *s)
{
    move(s, s->optimizer->m, false);
    move(s, s->optimizer->v, false);
}

void shards_forget_moments(Shards *s)
{
    const Slices *slices = &s->optimizer->slices;
    for (int i = 0; i < slices->run_count; i++) {
        const Run *run = &slices->runs[i];
        if (run->owner == team_member())
            continue;
        memory_let_go(s->optimizer->m + run->from, run->count * sizeof(Real));
        memory_let_go(s->optimizer->v + run->from, run->count * sizeof(Real));
    }
}
