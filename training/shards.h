/* shards.h: the shards that the sequences of a step are cut into. Each one's gradient is computed
 * by itself, and all are added along the tree of model/tree.h, so the bits of a run depend on the
 * number of its shards, but not on who computes them.
 *
 * In a team, the sums of a member's branches are sent, slice by slice, to the slice's owner (see
 * model/optimizer/slices.h), as soon as backward is done with a stage of the last shard. The owner
 * adds them, updates its slices, and sends their weights to all. Of P numbers a member sends
 * P·(N − 1)/N as gradients, for each of its branches, and as many as weights. */
#ifndef PULGA_SHARDS_H
#define PULGA_SHARDS_H

#include "model/optimizer/optimizer.h"
#include "model/tree.h"

typedef struct {
    Gpt *gpt;
    Optimizer *optimizer;
    int count;        /* S */
    int first, end;   /* ours */
    double *losses;   /* (S) the sum of each one's losses */
    Tree tree;        /* of our gradients */
    int stage;        /* of backward: the last one that is done with the last shard */
    Branch *branches; /* of all members, in order */
    int *holders;     /* the member that has the sum of each */
    int branch_count;
    Real *received;    /* the sums of the others' branches, of our slices only */
    size_t *places;    /* of the runs that we own: where each lies among our slices */
    size_t owned;      /* numbers of our slices together */
    double **shared;   /* (N, each) where the losses and squares of each member belong; NULL:
                            it has no more */
    double *collected; /* (N, each) room for them */
    size_t each;
} Shards;

/* For a model whose optimizer is already shared among the team. It keeps both pointers. */
Shards shards_new(int count, Gpt *gpt, Optimizer *optimizer);
void shards_free(Shards *shards);

/* Begins a step. Then our shards follow in order: their gradients are those of the model. */
void shards_begin(Shards *shards);

/* Keeps the gradient of a shard that is not our last, and sets that of the model to 0. */
void shards_keep(Shards *shards, int shard);

/* A GptReady, to be called with our last shard or not at all; `shards` is a Shards. */
void shards_ready(void *shards, int stage);

/* Waits for the shards of the others. Then the gradients of our slices are those of the whole step,
 * and the optimizer has the squares of all slices. Returns the sum of all losses. */
double shards_finish(Shards *shards);

/* Sends the weights of our slices to all, and receives the others. */
void shards_spread_weights(Shards *shards);

/* The leader receives the moments of all slices; or sends each owner its own. */
void shards_gather_moments(Shards *shards);
void shards_give_moments(Shards *shards);

/* The leader lets the moments of the others go: they would take most of its memory. */
void shards_forget_moments(Shards *shards);

#endif
