/* step.c: the sequences of a step are cut into S shards of K parts each. The gradients of a shard's
 * parts are added one after another, those of the shards along a tree. Whatever is drawn for a row
 * is drawn by its number in the step, so it depends on neither. */
#include "step.h"

#include <math.h>

#include "programs/train/team/team.h"

/* Adam squares each gradient, and the largest float is 3.4e38. */
static const double MAX_NORM = 1.8e19;

static uint32_t rows_of(const Piece *pieces, int count)
{
    size_t rows = 0;
    for (int i = 0; i < count; i++)
        rows += pieces[i].length;
    return (uint32_t)rows;
}

/* The first sequence of a part of a step of `count` sequences. */
static int first_of_part(const Settings *s, int count, int part)
{
    return (int)((int64_t)count * part / ((int64_t)s->shards * s->accumulate));
}

/* Forward and backward over a part of a step. Adds its gradients times `scale`; returns the sum of
 * its losses. */
static double learn_part(Trainer *t, const Piece *pieces, int count, int part, HideDraw hide,
                         Real scale)
{
    const Settings *s = &t->plan.settings;
    const int from = first_of_part(s, count, part), to = first_of_part(s, count, part + 1);
    if (from == to) /* the last step of an epoch may have fewer sequences than parts */
        return 0;
    hide.row = rows_of(pieces, from);
    const Batch batch = batch_fill_hiding(&t->room, &t->corpus, pieces + from, to - from, hide);
    const Dropout dropout = {s->dropout, hide.seed, hide.step};
    return gpt_forward_backward(&t->gpt, &batch, scale, dropout);
}

/* Forward and backward over the next sequences of the epoch: our shards of them. Each part adds its
 * gradients, scaled by 1/targets of the whole step: together they are the gradient of the mean loss
 *
 *     1/targets · sum over the targets of −log p(target)
 *
 * the same as if the step were taken at once. Returns the mean loss. */
static double learn(Trainer *t, int64_t number, int64_t *rows)
{
    const Settings *s = &t->plan.settings;
    int count;
    const Piece *pieces = reader_take(&t->reader, s->batch, &count);
    const HideDraw hide = {.seed = (uint32_t)s->seed, .step = (uint32_t)number};
    const int64_t targets = batch_targets(&t->room, &t->corpus, pieces, count, hide);
    const Real scale = (Real)(1.0 / (double)targets);

    for (int shard = t->shards.first; shard < t->shards.end; shard++) {
        double loss = 0;
        for (int k = 0; k < s->accumulate; k++)
            loss += learn_part(t, pieces, count, shard * s->accumulate + k, hide, scale);
        shards_add(&t->shards, shard, loss);
    }
    const double loss = shards_sum(&t->shards);
    if (!isfinite(loss))
        end_not_finite(t, number, "the loss is not finite");
    *rows = rows_of(pieces, count);
    return loss / (double)targets;
}

/* The gradients of the step become a change of the weights; returns their norm. */
static double update(Trainer *t, int64_t number)
{
    const Settings *s = &t->plan.settings;
    Optimizer *optimizer = &t->optimizer;
    const double norm = optimizer_gradient_norm(optimizer, &t->gpt);
    /* Clipping: a gradient g that is longer than clip becomes g·clip/|g|. */
    const double scale = s->clip > 0 && norm > s->clip ? s->clip / norm : 1;
    if (!(scale * norm < MAX_NORM)) /* also true for a NAN */
        end_not_finite(t, number, "the gradient is too large");
    optimizer_step(optimizer, &t->gpt, scale, schedule_rate(&t->plan.schedule, number), s->decay,
                   s->epsilon, number);
    optimizer_average(optimizer, &t->gpt, number);
    return norm;
}

/* Steps are counted from 1: the step's number chooses its rate and draws its dropout. */
int64_t trainer_step(Trainer *t)
{
    const int64_t number = t->progress.step + 1;
    int64_t rows;
    const double loss = learn(t, number, &rows), norm = update(t, number);

    /* Where the run is now: what state.safetensors will hold. */
    t->progress.step = number;
    t->progress.loss = loss;
    t->progress.gradient_norm = norm;
    t->progress.evaluated = false;
    t->progress.epoch = t->reader.epoch;
    t->progress.next = t->reader.next;
    return rows;
}
