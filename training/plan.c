/* plan.c: see plan.h. The numbers chosen here were measured; see the README. */
#include "plan.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "data/corpus/floor.h"
#include "base/threads.h"

enum {
    SMALL_STEP = 2048,       /* a text of so few tokens goes into each step whole      */
    ENOUGH_LINES = 200,      /* from here on a tenth of the lines is held out          */
    ENOUGH_STREAM = 5000,    /* likewise, of a stream's tokens                         */
    LONGEST_DEFAULT = 256,   /* of the contexts chosen here                            */
    MANY_WEIGHTS = 4,        /* a token: from here on a model learns characters by heart */
    MOST_COUNTED = 10000000, /* epochs; those behind are taken to be like them       */
};

static int least(int64_t a, int64_t b)
{
    return (int)min_int64(a, b);
}

static int most(int64_t a, int64_t b)
{
    return (int)max_int64(a, b);
}

void plan_text(Settings *settings, const Decided *decided)
{
    if (!DECIDED(decided, sequence))
        settings->sequence = settings->tokens == TOKENS_CHAR ? SEQUENCE_STREAM : SEQUENCE_LINES;
}

/* Steps in a number of epochs, INT_MAX at most. A stream's epochs have the fewest pieces possible
 * or one more, as each is cut; only where that one takes a step of its own are they counted. */
static int plan_steps(const Corpus *corpus, const Settings *s, int epochs)
{
    const int64_t batch = s->batch, T = corpus->context;
    assert(batch > 0 && T > 0);
    const int64_t pieces = corpus->stream ? ((int64_t)corpus->train_targets + T - 1) / T
                                          : (int64_t)arrlen(corpus->train);
    const int64_t fewest = (pieces + batch - 1) / batch;
    if (!corpus->stream || pieces % batch || fewest * epochs >= INT_MAX)
        return least(fewest * epochs, INT_MAX);
    int64_t steps = 0;
    const int counted = least(epochs, MOST_COUNTED);
    for (int epoch = 0; epoch < counted; epoch++)
        steps += fewest + (epoch_pieces(corpus, (uint32_t)s->seed, epoch) > (size_t)pieces);
    return least((int64_t)((double)steps / counted * epochs + 0.5), INT_MAX);
}

/* ---- What suits a text ---- */

/* The model grows with the text: more layers or width gain nothing on a small one. */
static void choose_model(Settings *s, const Decided *decided, const Corpus *corpus)
{
    static const struct {
        size_t tokens;
        int layers, heads, width, context; /* context: of a stream */
    } sizes[] = {{60000, 2, 4, 64, 64}, {3000000, 4, 4, 128, 64}, {SIZE_MAX, 4, 4, 256, 128}};
    const size_t tokens = (size_t)arrlen(corpus->tokens);
    int i = 0;
    while (tokens > sizes[i].tokens)
        i++;
    if (!DECIDED(decided, layers))
        s->layers = sizes[i].layers;
    if (!DECIDED(decided, width))
        s->width = sizes[i].width;
    if (!DECIDED(decided, heads))
        s->heads = s->width % sizes[i].heads && !DECIDED(decided, head_size) ? 1 : sizes[i].heads;
    if (!DECIDED(decided, head_size))
        s->head_size = s->width / s->heads;
    if (!DECIDED(decided, hidden))
        s->hidden = 4 * s->width;
    if (!DECIDED(decided, context))
        s->context =
            corpus->stream
                ? sizes[i].context
                : least(((int64_t)least((int64_t)corpus->longest, LONGEST_DEFAULT) + 7) / 8 * 8,
                        LONGEST_DEFAULT);
}

static void choose_validation(Settings *s, const Decided *decided, const Corpus *corpus)
{
    const bool enough = corpus->stream ? arrlen(corpus->tokens) >= ENOUGH_STREAM
                                       : arrlen(corpus->lines) - 1 >= ENOUGH_LINES;
    if (!DECIDED(decided, val))
        s->val = enough ? 0.1 : 0;
}

/* Post-norm blocks from four layers on start well only with a small rate and more steps. */
static bool is_delicate(const Settings *s)
{
    return s->norm == NORM_POST && s->layers >= 4 && !s->untied &&
           s->positions == POSITIONS_SINUSOIDAL;
}

static void choose_steps(Settings *s, const Decided *decided, const Corpus *corpus, bool *whole)
{
    const int64_t pieces = corpus->stream
                               ? (int64_t)(corpus->train_targets / (size_t)corpus->context) + 2
                               : (int64_t)arrlen(corpus->train);
    const bool small = corpus->train_targets <= SMALL_STEP && !arrlen(corpus->held_out);
    if (!DECIDED(decided, batch))
        s->batch = small            ? least(pieces, INT_MAX)
                   : corpus->stream ? 16
                                    : least(32, most(8, pieces / 20));
    *whole = s->batch >= pieces;

    const int64_t epoch = plan_steps(corpus, s, 1);
    assert(epoch > 0); /* no corpus is empty */
    if (DECIDED(decided, steps)) {
        /* Epochs then say nothing, but must be something. */
        if (!DECIDED(decided, epochs))
            s->epochs = most(1, (s->steps + epoch - 1) / epoch);
        return;
    }
    if (!DECIDED(decided, epochs)) {
        if (*whole)
            s->epochs = is_delicate(s) ? 500 : s->tokens == TOKENS_CHAR ? 200 : 300;
        else if (corpus->stream) /* about 2,000 steps, but no fewer than two epochs */
            s->epochs = most(2, least(40, 2000 / epoch));
        else
            s->epochs = pieces < 2000 ? 15 : 10;
    }
    s->steps = plan_steps(corpus, s, s->epochs);
}

/* Words are learned by heart soon. Characters are not, but by a model with many times as many
 * weights (12·L·C², about) as there are of them. */
static double choose_dropout(const Settings *s, const Corpus *corpus)
{
    const double weights = 12.0 * s->layers * s->width * s->width;
    if (!arrlen(corpus->held_out))
        return 0;
    return s->tokens == TOKENS_WORD                                  ? 0.2
           : weights > MANY_WEIGHTS * (double)arrlen(corpus->tokens) ? 0.1
                                                                     : 0;
}

static void choose_training(Settings *s, const Decided *decided, const Corpus *corpus, bool whole)
{
    const bool held_out = arrlen(corpus->held_out) > 0;
    if (!DECIDED(decided, dropout))
        s->dropout = choose_dropout(s, corpus);
    if (!DECIDED(decided, lr_factor))
        s->lr_factor = is_delicate(s) ? 0.1 : whole ? 0.3 : 0.5;
    if (!DECIDED(decided, warmup))
        s->warmup = least(4000, s->steps / 10);
    if (!DECIDED(decided, eval_every)) {
        /* Twenty times a run, when it is logged, but so that evaluating stays a small part. */
        const int64_t looked_at =
            (int64_t)(held_out ? corpus->held_out_targets : corpus->train_targets);
        const int64_t step = (int64_t)corpus->train_targets / most(1, plan_steps(corpus, s, 1));
        s->eval_every = most(most(1, s->steps / 20), 2 * looked_at / most(1, step));
    }
    if (!DECIDED(decided, log_every))
        s->log_every = most(1, s->steps / 20);
}

/* ---- What follows ---- */

/* The patterns of all heads of all layers, and how far back the model reaches. */
static void lay_patterns(Plan *plan)
{
    const Settings *s = &plan->settings;
    plan->patterns = patterns_of(&s->window, s->layers, s->heads);
    plan->reach = pattern_reach(plan->patterns, s->layers, s->heads);
}

static void check_sizes(const Settings *s, const Decided *decided)
{
    if (!DECIDED(decided, head_size) && s->width % s->heads)
        usage_error("--heads %d does not divide --width %d; choose others, or give --head-size",
                    s->heads, s->width);
    if (s->keep && !s->checkpoint_every)
        usage_error("--keep %d keeps what --checkpoint-every saves; give that too", s->keep);
    if ((int64_t)s->heads * s->head_size > INT_MAX / 4)
        usage_error("--heads %d of --head-size %d are too wide", s->heads, s->head_size);
    if (s->window.count > s->layers * s->heads)
        usage_error("--window has more numbers than the model has heads (%d layers of %d)",
                    s->layers, s->heads);
}

/* Rows of the largest part of a step: so many of the longest pieces, and never more than all. */
static int rows_of_part(const Settings *s, const Corpus *corpus)
{
    const int64_t sequences = ((int64_t)s->batch + s->accumulate - 1) / s->accumulate;
    const int64_t longest = least((int64_t)corpus->longest, s->context);
    const int64_t all = (int64_t)corpus->train_targets;
    const int64_t rows = sequences > all / longest ? all : sequences * longest;
    return least(most(rows, longest), INT_MAX);
}

static void derive(Plan *plan, const Corpus *corpus, int vocabulary)
{
    Settings *s = &plan->settings;
    lay_patterns(plan);
    plan->shape = (GptConfig){.context = s->context,
                              .layers = s->layers,
                              .heads = s->heads,
                              .head_size = s->head_size,
                              .width = s->width,
                              .hidden = s->hidden,
                              .vocabulary = vocabulary,
                              .post_norm = s->norm == NORM_POST,
                              .learned_positions = s->positions == POSITIONS_LEARNED,
                              .gelu = s->activation == ACTIVATION_GELU,
                              .untied = s->untied,
                              .no_qkv_bias = s->no_qkv_bias,
                              .patterns = plan->patterns};
    plan->schedule = (Schedule){.kind = s->schedule,
                                .factor = s->lr_factor,
                                .width = s->width,
                                .rate = s->lr,
                                .least = s->min_lr,
                                .warmup = s->warmup,
                                .cooldown = s->cooldown,
                                .horizon = s->steps};
    plan->rows = rows_of_part(s, corpus);
    int count;
    size_t numbers;
    Tensor *tensors = gpt_tensors(&plan->shape, &count, &numbers);
    plan->parameters = gpt_parameters(tensors, count);
    free(tensors);
    /* Adam's two moments and the best weights so far lie beside the model. */
    plan->bytes = gpt_bytes(&plan->shape, plan->rows) + 3 * (double)numbers * sizeof(Real);
    s->threads = thread_limit();
}

void plan_make(Plan *plan, const Settings *settings, const Decided *decided, Corpus *corpus,
               int vocabulary)
{
    *plan = (Plan){.settings = *settings};
    Settings *s = &plan->settings;
    choose_model(s, decided, corpus);
    choose_validation(s, decided, corpus);
    check_sizes(s, decided);
    corpus_cut(corpus, s->context, s->val, (uint32_t)s->seed);
    choose_steps(s, decided, corpus, &plan->whole_in_a_step);
    choose_training(s, decided, corpus, plan->whole_in_a_step);
    derive(plan, corpus, vocabulary);
}

void plan_free(Plan *plan)
{
    free(plan->patterns);
}
