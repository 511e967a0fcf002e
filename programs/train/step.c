/* step.c: the sequences of a step are cut into S shards of K parts each. The gradients of a shard's
 * parts are added one after another, those of the shards along a tree. Whatever is drawn for a row
 * is drawn by its number in the step, so it depends on neither. */
#include "trainer.h"

#include "programs/train/team/team.h"
#include "text/corpus/corpus.h"

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

    for (int shard = t->shards.tree.first; shard < t->shards.tree.end; shard++) {
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

/* ---- Evaluation ---- */

/* In each round, every member of the team evaluates a batch, and the losses are collected. */

/* The leader's watch decides for all. */
static bool goes_on(const Trainer *t, double share)
{
    bool on = !t->watch || !team_leads() || t->watch(t->watcher, share);
    team_share(&on, sizeof on);
    return on;
}

/* Adds the losses of a batch for each member, in order, as if one evaluated them all: what lies in
 * `place` moves on. */
static void add_round(double *sum, size_t *targets, double *losses, Trainer *t, const Part *part,
                      BatchPlace *place)
{
    /* As many rows as a part of a step has: no more memory is needed than for training. */
    Batch batch;
    int count = 0;
    for (; count < team_size() && batch_next(&batch, &t->room, &t->corpus, part, place); count++) {
        if (count == team_member())
            losses[count] = gpt_evaluate(&t->gpt, &batch);
        *targets += (size_t)batch.counted;
    }
    team_collect(losses, sizeof *losses);
    for (int i = 0; i < count; i++) {
        if (!isfinite(losses[i]))
            end_not_finite(t, t->progress.step, "the loss is not finite");
        *sum += losses[i];
    }
}

/* The mean loss over the targets of a part of the text, without dropout; NAN if it was
 * abandoned. */
static double loss_over(Trainer *t, const Part *part)
{
    AUTOFREE double *losses =
        memory_new((size_t)team_size(), sizeof *losses, "the losses of a round");
    double sum = 0;
    size_t targets = 0;
    for (BatchPlace place = {0}; place.piece < part->count && !isnan(sum);)
        if (goes_on(t, (double)place.piece / (double)part->count))
            add_round(&sum, &targets, losses, t, part, &place);
        else
            sum = NAN;
    return sum / (double)targets;
}

static void swap_weights(Real *a, Real *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Real was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

/* The loss of a block of weights, which change places with the model's meanwhile. */
static double loss_of(Trainer *t, Real *weights, const Part *part)
{
    Real *own = t->gpt.weight_block;
    swap_weights(own, weights, t->gpt.size);
    const double loss = loss_over(t, part);
    swap_weights(own, weights, t->gpt.size);
    return loss;
}

double trainer_evaluate(Trainer *t)
{
    const double loss = loss_of(t, trainer_evaluated_weights(t), &t->corpus.evaluated);
    if (isnan(loss))
        return NAN;
    t->progress.evaluated = true;
    const Settings *s = &t->plan.settings;
    if (!t->progress.step && s->steps && !s->from)
        return loss; /* of random weights, which are not the best of anything */
    if (loss < t->progress.best_loss) {
        t->progress.best_loss = loss;
        t->progress.worse = 0;
        trainer_keep_best(t);
    } else {
        t->progress.worse++;
    }
    return loss;
}

/* As many targets as a hundredth of the training takes time for: see plan.c. */
static size_t most_targets(const Trainer *t)
{
    const double count = (double)epoch_most_pieces(&t->corpus);
    const double each = (double)t->corpus.train.rows / count;
    const double trained = (double)t->progress.step * fmin(t->plan.settings.batch, count) * each;
    const Part *evaluated = &t->corpus.evaluated;
    const double rows_each =
        corpus_evaluation_rows(&t->corpus, evaluated) / (double)evaluated->targets;
    return (size_t)fmax((double)corpus_sample_targets(&t->corpus), trained * 3 / 100 / rows_each);
}

void trainer_evaluate_best(Trainer *t)
{
    const Part *all = trainer_holds_out(t) ? &t->corpus.held_out : &t->corpus.train;
    const size_t most = most_targets(t);
    if (most <= corpus_sample_targets(&t->corpus))
        return;
    Part part = corpus_sample(&t->corpus, all, most, (uint32_t)t->plan.settings.val_seed);
    t->whole = (Whole){.loss = loss_of(t, t->best, &part), .targets = part.targets};
    if (team_leads()) /* who knows the bytes of the text */
        t->whole.bits = bits_per_byte(
            t->whole.loss, corpus_bytes(&t->corpus, &t->tokenizer, &part) / (double)part.targets);
    part_free(&part);
}

/* ---- With counting ---- */

/* Shares are 0, 1/STEPS, ... 1. */
enum { STEPS = 20 };

static double loss_with(Trainer *t, CountMixture *counts, int share, const Part *part)
{
    counts->share = share / (double)STEPS;
    return loss_of(t, t->best, part);
}

/* How badly a share does on what was set aside. */
static double cost_of(Trainer *t, CountMixture *counts, int share, double expected)
{
    const Part *part = &t->corpus.aside;
    const double loss = loss_with(t, counts, share, part) * (double)part->targets;
    const double deviations = (counts->share - expected) / 0.1;
    return loss + deviations * deviations / 2;
}

/* With a growing share, the cost falls and then rises. The share to expect: in other texts it was
 * 0.4, or less if counting is far worse than the model, with a deviation of 0.1. That counts where
 * a few tokens alone would decide. */
static int best_share(Trainer *t, CountMixture *counts)
{
    const Part *part = &t->corpus.aside;
    const double counting = loss_with(t, counts, STEPS, part);
    const double expected = fmax(0.4 - 0.25 * fmax(counting - loss_with(t, counts, 0, part), 0), 0);
    int low = 0, high = STEPS;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (cost_of(t, counts, middle, expected) <= cost_of(t, counts, middle + 1, expected))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void trainer_mix(Trainer *t)
{
    Counting *counting = &t->counting;
    team_share(counting, sizeof *counting);
    CountMixture counts = count_mixture_new(&t->corpus, counting->order, 0);
    t->gpt.mixture = count_mixture_of(&counts);
    const int share = best_share(t, &counts);
    counting->mixed = loss_with(t, &counts, share, &t->corpus.evaluated);
    counting->share = isnan(counting->mixed) ? (double)NAN : share / (double)STEPS;
    t->gpt.mixture = (Mixture){0};
    count_mixture_free(&counts);
}
