/* trainer.c: a run is opened in one of three ways: new, from another model, or resumed. Each goes
 * from the settings to the text, its tokens, the plan, the memory, and the first weights. Then the
 * run takes steps, evaluates and saves when the caller says so. */
#include "trainer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/threads.h"
#include "data/corpus/bytes.h"
#include "data/corpus/floor.h"
#include "data/hint.h"
#include "formats/huggingface/pretrained.h"
#include "formats/huggingface/tokenizer_json.h"
#include "formats/huggingface/weights.h"
#include "model/matrix/matrix.h"
#include "take_over.h"
#include "training/run/checkpoint.h"
#include "training/run/training_text.h"

/* Adam squares each gradient, and the largest float is 3.4e38. */
static const double MAX_NORM = 1.8e19;

/* ---- Opening ---- */

/* Encodes and cuts the text, plans the run and takes its memory; dies if there is not enough, or if
 * the processor lacks the precision. */
static void prepare(Trainer *t, Settings *settings, const Decided *decided)
{
    t->corpus = corpus_new(&t->text, &t->tokenizer);
    plan_model(settings, decided, &t->corpus);
    corpus_cut(&t->corpus, settings->context, settings->val, (uint32_t)settings->seed);
    t->plan = plan_training(settings, decided, &t->corpus, tokenizer_size(&t->tokenizer));
    if (!matrix_choose(t->plan.settings.precision))
        usage_error("--precision bf16 needs AMX or AVX-512 BF16, which this processor, or the "
                    "kernel that PULGA_KERNEL names, does not have; f32 runs everywhere");
    memory_check(t->plan.bytes, "a model of these sizes");
    t->gpt = gpt_new(&t->plan.shape, t->plan.rows);
    t->optimizer = optimizer_new(&t->gpt, t->plan.settings.optimizer);
    t->best = memory_new(t->gpt.size, sizeof *t->best, "the best weights");
    t->room = batch_room_new(t->plan.rows);
    t->reader = reader_new(&t->corpus, (uint32_t)t->plan.settings.seed);
    t->trial = thread_trial_new(t->plan.settings.threads, DECIDED(decided, threads));
    t->progress = (Progress){.best_loss = INFINITY};
}

/* Enters the directory of a run that is not resumed. Nothing is written yet. */
static void begin_run(Trainer *t)
{
    t->directory = run_begin(&t->plan.settings, t->text_path);
    t->log = log_begin(&t->directory);
    record_identity(t->identity, &t->plan.settings, &t->text, &t->tokenizer);
}

/* A new run makes its vocabulary from its text. */
static void open_new(Trainer *t, Settings *settings, const Decided *decided)
{
    plan_text(settings, decided);
    t->text = text_read(t->text_path, settings->lower);
    plan_vocabulary(settings, t->text.size);
    const TokenizerRules rules = {.kind = settings->tokens,
                                  .lower = settings->lower,
                                  .stream = settings->sequence == SEQUENCE_STREAM,
                                  .min_count = settings->min_count,
                                  .max_words = settings->max_words,
                                  .vocabulary = settings->vocabulary};
    if (!DECIDED(decided, tokens) && !DECIDED(decided, sequence))
        t->hint = text_hint(&t->text, rules.kind, rules.stream);
    t->tokenizer = tokenizer_train(&t->text, rules);
    prepare(t, settings, decided);
    begin_run(t);
    gpt_init(&t->gpt, (uint32_t)settings->seed);
}

/* Starts from another model: its sizes, its tokenizer and its weights. */
static void open_from(Trainer *t, Settings *settings, Decided *decided)
{
    Pretrained model = pretrained_open(settings->from);
    take_over_model(settings, decided, &model);
    t->text = text_read(t->text_path, settings->lower);
    t->tokenizer = model.tokenizer;
    model.tokenizer = tokenizer_new(); /* it is the trainer's from now on */
    prepare(t, settings, decided);
    begin_run(t);
    memcpy(t->gpt.weight_block, model.gpt.weight_block, model.gpt.size * sizeof(Real));
    pretrained_close(&model);
}

/* Puts the weights, the moments, the data and the log where the last save left them. */
static void go_on(Trainer *t)
{
    size_t log_size;
    t->progress =
        state_read(&t->directory, &t->gpt, &t->optimizer, t->best, &log_size, t->identity);
    if (t->plan.settings.steps < t->progress.step)
        usage_error("%s has already taken %" PRId64 " steps; give it --steps %" PRId64 " or more",
                    t->directory.path, t->progress.step, t->progress.step);
    if (!reader_seek(&t->reader, t->progress.epoch, t->progress.next))
        die("%s/state.safetensors is damaged: an epoch has no piece %zu", t->directory.path,
            t->progress.next);
    t->log = log_resume(&t->directory, log_size);
}

/* Everything comes from the run's directory. Its identity (settings, text, vocabulary) is checked
 * before anything is computed from it. */
static void open_resumed(Trainer *t, Settings *settings, Decided *decided)
{
    t->directory = run_resume(settings->resume); /* locked: nobody else changes it */
    t->config = record_read(&t->directory);
    take_over_run(settings, decided, &t->config, &t->directory);
    if (!training_text_read(&t->directory, &t->config, settings->text, settings->lower, &t->text))
        die("%s holds no copy of its text; name it with --text FILE", t->directory.path);
    t->text_path = settings->text ? settings->text : t->text.name;
    /* Not made again from the text: after --from, the vocabulary is another model's. */
    t->tokenizer = tokenizer_json_read(&t->directory, t->config.shape.vocabulary, t->config.eos);
    record_identity(t->identity, settings, &t->text, &t->tokenizer);
    record_check_identity(&t->config, &t->directory, t->identity);
    prepare(t, settings, decided);
    text_free_bytes(&t->text);
    record_check_shape(&t->config, &t->directory, &t->plan.shape);
    record_check_kernel(&t->config, &t->directory);
    go_on(t);
}

bool trainer_holds_out(const Trainer *t)
{
    return t->corpus.held_out.count > 0;
}

static const Part *evaluated_part(const Trainer *t)
{
    return trainer_holds_out(t) ? &t->corpus.held_out : &t->corpus.train;
}

void trainer_open(Trainer *t, const char *text_path, Settings *settings, Decided *decided)
{
    *t = (Trainer){.text_path = text_path};
    if (settings->resume)
        open_resumed(t, settings, decided);
    else if (settings->from)
        open_from(t, settings, decided);
    else
        open_new(t, settings, decided);
    const Part *part = evaluated_part(t);
    t->token_bytes = corpus_bytes(&t->corpus, &t->tokenizer, part) / (double)part->targets;
    /* The floor of a stream would depend on where each epoch cuts it. */
    t->floor = t->corpus.stream ? (double)NAN : floor_of(&t->corpus, t->plan.reach);
}

bool trainer_begin_files(Trainer *t, const char *command)
{
    if (t->plan.settings.resume) /* its command, its kernel and its text stay as they were */
        return record_update(&t->directory, &t->config, &t->plan.settings);
    const bool good = run_describe(&t->directory, &t->plan, &t->tokenizer, t->text_path, &t->text,
                                   command, t->identity);
    text_free_bytes(&t->text);
    return good;
}

void trainer_close(Trainer *t)
{
    log_close(&t->log);
    batch_room_free(&t->room);
    reader_free(&t->reader);
    free(t->best);
    optimizer_free(&t->optimizer);
    gpt_free(&t->gpt);
    plan_free(&t->plan);
    corpus_free(&t->corpus);
    tokenizer_free(&t->tokenizer);
    text_free(&t->text);
    free(t->hint);
    config_free(&t->config);
    directory_close(&t->directory);
}

/* ---- Training ---- */

/* Ends a run whose numbers are no longer finite, before they are saved. Names the first of the
 * weights, or else of the gradients, that is not. If all of them are finite, only the loss or the
 * gradient's norm was too large. */
_Noreturn static void end_not_finite(const Trainer *t, int64_t step, const char *what)
{
    const char *where = ": among the weights, ";
    const char *number = weights_wrong(&t->gpt, t->gpt.weight_block);
    if (!number) {
        where = ": in the gradient, ";
        number = weights_wrong(&t->gpt, t->gpt.gradient_block);
    }
    die("step %" PRId64 ": %s%s%s; %s keeps its last save; try a smaller --%s", step, what,
        number ? where : "", number ? number : "", t->directory.path,
        t->plan.settings.schedule == SCHEDULE_NOAM ? "lr-factor" : "lr");
}

/* Forward and backward over the next sequences of the epoch, in as many parts as asked for. Each
 * part adds its gradients, scaled by 1/targets of the whole step: together they are the gradient of
 * the mean loss
 *
 *     1/targets · sum over the targets of −log p(target)
 *
 * the same as if the step were taken at once. `row` counts the rows of the step: the dropout of a
 * row is drawn by its number, so that it does not depend on the parts. Returns the mean loss. */
static double learn(Trainer *t, int64_t number, int64_t *step_targets)
{
    const Settings *s = &t->plan.settings;
    Gpt *gpt = &t->gpt;
    int count;
    const Piece *pieces = reader_take(&t->reader, s->batch, &count);
    const int64_t targets = (int64_t)corpus_targets(&t->corpus, pieces, (size_t)count);

    const Dropout dropout = {s->dropout, (uint32_t)s->seed, (uint32_t)number};
    double sum = 0;
    uint32_t row = 0;
    /* Of c sequences in K parts, part p has those from c·p/K up to c·(p+1)/K. */
    for (int part = 0; part < s->accumulate; part++) {
        const int from = (int)((int64_t)count * part / s->accumulate);
        const int end = (int)((int64_t)count * (part + 1) / s->accumulate);
        if (from == end) /* the last step of an epoch may have fewer sequences than parts */
            continue;
        const Batch batch = batch_fill(&t->room, &t->corpus, pieces + from, end - from, row);
        const double loss =
            gpt_forward_backward(gpt, &batch, (Real)(1.0 / (double)targets), dropout);
        if (!isfinite(loss))
            end_not_finite(t, number, "the loss is not finite");
        sum += loss;
        row += (uint32_t)batch.rows;
    }
    *step_targets = targets;
    return sum / (double)targets;
}

/* Steps are counted from 1: the step's number chooses its rate and draws its dropout. */
int64_t trainer_step(Trainer *t)
{
    const Settings *s = &t->plan.settings;
    Gpt *gpt = &t->gpt;
    const int64_t number = t->progress.step + 1;
    const double began = clock_seconds();
    thread_trial_begin(&t->trial);
    int64_t targets;
    const double loss = learn(t, number, &targets), norm = optimizer_gradient_norm(gpt);
    const double rate = schedule_rate(&t->plan.schedule, number);
    /* Clipping: a gradient g that is longer than clip becomes g·clip/|g|. */
    const double scale = s->clip > 0 && norm > s->clip ? s->clip / norm : 1;
    if (!(scale * norm < MAX_NORM)) /* true for a NAN too */
        end_not_finite(t, number, "the gradient is too large");
    optimizer_step(&t->optimizer, gpt, scale, rate, s->decay, number);

    /* Where the run is now: what state.safetensors will hold. */
    t->progress.step = number;
    t->progress.loss = loss;
    t->progress.gradient_norm = norm;
    t->progress.evaluated = false;
    t->progress.epoch = t->reader.epoch;
    t->progress.next = t->reader.next;
    thread_trial_end(&t->trial, (clock_seconds() - began) / (double)targets);
    return targets;
}

double trainer_bits(const Trainer *t, double loss)
{
    return bits_per_byte(loss, t->token_bytes);
}

/* The mean loss over the targets of a part of the text, without dropout; NAN if it was abandoned. */
static double loss_over(Trainer *t, const Part *part, EvaluationWatch *watch, void *watcher)
{
    double sum = 0;
    size_t targets = 0;
    Piece *pieces = NULL; /* stb_ds array: those of one batch */
    for (size_t next = 0; next < part->count; arrsetlen(pieces, 0)) {
        int rows = 0;
        if (watch && !watch(watcher, (double)next / (double)part->count)) {
            sum = NAN;
            break;
        }
        /* As many pieces as fit in a part of a step: no more memory is needed than for training. */
        for (; next < part->count; next++) {
            const Piece piece = corpus_piece(&t->corpus, part, next);
            rows += (int)piece.length;
            if (rows > t->room.rows)
                break;
            arrput(pieces, piece);
        }
        const Batch batch = batch_fill(&t->room, &t->corpus, pieces, (int)arrlen(pieces), 0);
        const double loss = gpt_evaluate(&t->gpt, &batch);
        if (!isfinite(loss))
            end_not_finite(t, t->progress.step, "the loss is not finite");
        sum += loss;
        targets += (size_t)batch.counted;
    }
    arrfree(pieces);
    return sum / (double)targets;
}

/* A copy of the best weights is kept, because the next steps may make the model worse. */
double trainer_evaluate(Trainer *t, EvaluationWatch *watch, void *watcher)
{
    const double loss = loss_over(t, evaluated_part(t), watch, watcher);
    if (isnan(loss))
        return NAN;
    t->progress.evaluated = true;
    if (loss < t->progress.best_loss) {
        t->progress.best_loss = loss;
        t->progress.best_step = t->progress.step;
        t->progress.worse = 0;
        memcpy(t->best, t->gpt.weight_block, t->gpt.size * sizeof *t->best);
    } else {
        t->progress.worse++;
    }
    return loss;
}

bool trainer_save(Trainer *t)
{
    if (weights_wrong(&t->gpt, t->gpt.weight_block))
        end_not_finite(t, t->progress.step, "the weights are not finite");
    if (isinf(t->progress.best_loss)) { /* not evaluated yet: the last weights are the best */
        t->progress.best_step = t->progress.step;
        memcpy(t->best, t->gpt.weight_block, t->gpt.size * sizeof *t->best);
    }
    return run_save(&t->directory, &t->gpt, &t->optimizer, t->best, &t->progress, &t->log,
                    t->identity);
}

bool trainer_keep(const Trainer *t, bool again)
{
    return checkpoint_keep(&t->directory, t->progress.step, t->log.size, t->plan.settings.keep,
                           again);
}
