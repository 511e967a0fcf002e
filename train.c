/* train.c: trains a small GPT on a text file and leaves a model directory behind. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "data/floor.h"
#include "data/log.h"
#include "data/run.h"
#include "model/matrix/matrix.h"
#include "model/pace.h"
#include "program/options.h"
#include "program/screen.h"

static const Program PROGRAM = {
    .fields = SETTINGS,
    .arguments = "TEXT",
    .summary = "Trains a small GPT on TEXT (a UTF-8 file, or - for standard input) and writes a "
               "model directory. What is not given is chosen to suit the text and printed.",
    .notes = "A run that was stopped goes on with: train --resume RUN\n",
    .most_arguments = 1,
};

/* Everything that a run holds while it trains. */
typedef struct {
    const char *text_path;
    Text text;
    Vocabulary vocabulary;
    Corpus corpus;
    Plan plan;
    double floor;        /* NAN where it is not counted */
    char *directory;

    Gpt gpt;
    Adam adam;
    Real *best;          /* a block of weights: those of the lowest evaluated loss */
    Reader reader;
    BatchRoom room;
    Pace pace;
    Progress progress;

    Screen screen;
    FILE *log;
    double begun, saved; /* clock */
    int64_t first_step;  /* of this call */
    size_t tokens;       /* read by this call */
} Run;

/* ---- Before training ---- */

static void read_text(Run *run, Settings *settings, const Given *given)
{
    plan_text(settings, given);
    run->text = text_read(run->text_path, settings->lower);
    const char *name = strcmp(run->text_path, "-") ? run->text_path : "standard input";
    const bool stream = settings->sequence == SEQUENCE_STREAM;
    run->vocabulary = vocabulary_of(name, run->text.clean, run->text.size, (VocabularyRules){
        .characters = settings->tokens == TOKENS_CHAR, .stream = stream,
        .min_count = settings->min_count, .max_words = settings->max_words});
    run->corpus = corpus_of(name, run->text.clean, run->text.size, &run->vocabulary, stream);
}

static void make_plan(Run *run, const Settings *settings, const Given *given)
{
    char *wrong = plan_make(&run->plan, settings, given, &run->corpus, run->vocabulary.count);
    if (wrong)
        usage_error("%s", wrong);
    run->floor = run->corpus.stream ? (double)NAN : floor_of(&run->corpus, run->plan.reach);
    /* Before the model is made: its working memory is counted by threads. */
    thread_set_limit(run->plan.settings.threads);
    run->pace = pace_new(run->plan.settings.threads, was_given(given, "threads"));
}

static void make_model(Run *run)
{
    run->gpt = gpt_new(run->plan.shape, run->plan.rows);
    run->adam = adam_new(&run->gpt);
    run->best = memory_new(run->gpt.numbers, sizeof *run->best, "the best weights");
    run->reader = reader_new(&run->corpus, (uint32_t)run->plan.settings.seed);
    run->room = batch_room_new(run->plan.rows);
    run->progress = (Progress){.best_loss = INFINITY};
}

/* A resumed run keeps its settings; this call may only make it longer. */
static void resume_settings(Settings *settings, Given *given)
{
    const Settings call = *settings;
    const Given asked = *given;
    *settings = (Settings){0};
    fields_preset(SETTINGS, settings);
    run_read_settings(call.resume, settings);
    for (int i = 0; SETTINGS[i].name; i++) {
        const char *name = SETTINGS[i].name;
        if (!SETTINGS[i].of_the_run)
            continue;
        if (asked.field[i] && strcmp(name, "steps") && strcmp(name, "epochs"))
            usage_error("--%s cannot change while %s goes on; it keeps its own", name,
                        call.resume);
        given->field[i] = true;
    }
    if (was_given(&asked, "steps"))
        settings->steps = call.steps;
    if (was_given(&asked, "epochs"))
        settings->epochs = call.epochs;
    given->field[field_index(SETTINGS, "steps")] =
        was_given(&asked, "steps") || !was_given(&asked, "epochs");
    settings->stop_after = call.stop_after;
    settings->checkpoint_every = call.checkpoint_every;
    settings->threads = call.threads;
    settings->resume = call.resume;
    settings->text = call.text;
}

static void open_resumed(Run *run, Settings *settings, Given *given)
{
    resume_settings(settings, given);
    run->directory = saying("%s", settings->resume);
    if (!settings->text) /* then it is the run's own copy */
        settings->text = run_text_path(run->directory);
    if (!settings->text)
        die("%s holds no copy of its text; name it with --text FILE", run->directory);
    run->text_path = settings->text;
    read_text(run, settings, given);
    run_check_text(run->directory, run->text_path, &run->text);
    make_plan(run, settings, given);
    make_model(run);
    run->progress = run_read_state(run->directory, &run->gpt, &run->adam, run->best);
    if (!reader_seek(&run->reader, run->progress.epoch, run->progress.next))
        die("%s/state.safetensors is damaged: an epoch has no piece %zu", run->directory,
            run->progress.next);
    run->log = log_open(run->directory, run->progress.log_size);
}

static void open_new(Run *run, Settings *settings, const Given *given)
{
    read_text(run, settings, given);
    make_plan(run, settings, given);
    make_model(run);
    gpt_start(&run->gpt, (uint32_t)settings->seed);
    if (settings->from)
        run_read_model(settings->from, &run->gpt);
    memcpy(run->best, run->gpt.weight_block, run->gpt.numbers * sizeof *run->best);
    run->directory = run_directory(settings, run->text_path);
    run->log = log_open(run->directory, 0);
}

/* ---- What was chosen ---- */

static void announce_text(const Run *run)
{
    const Settings *s = &run->plan.settings;
    const Corpus *corpus = &run->corpus;
    printf("text    %s: ", strcmp(run->text_path, "-") ? run->text_path : "standard input");
    if (corpus->stream)
        printf("a stream of %s %s", thousands((size_t)arrlen(corpus->tokens)).text,
               s->tokens == TOKENS_CHAR ? "characters" : "words");
    else
        printf("%s lines, %s targets", thousands((size_t)arrlen(corpus->lines) - 1).text,
               thousands(corpus->train_targets + corpus->held_out_targets).text);
    printf(", vocabulary %s\n", thousands((size_t)run->vocabulary.count).text);
    if (corpus->held_out_targets)
        printf("        %s targets held out for validation\n",
               thousands(corpus->held_out_targets).text);
    if (corpus->lines_cut)
        printf("        %s lines are longer than the context and were cut\n",
               thousands(corpus->lines_cut).text);
    printf("losses  knowing nothing %.6f, only how often each token comes %.6f",
           log(run->vocabulary.count), floor_unigram(corpus, run->vocabulary.count));
    if (!isnan(run->floor))
        printf(", floor %s%.6f%s", run->screen.bold, run->floor, run->screen.plain);
    if (run->plan.reach != REACH_ALL)
        printf(" (seeing %d tokens)", run->plan.reach);
    printf("\n");
}

static void announce_model(const Run *run)
{
    const Settings *s = &run->plan.settings;
    printf("model   %d layers, %d heads of %d, width %d, hidden %d, context %d; %s, %s-norm, %s, "
           "%s head", s->layers, s->heads, s->head_size, s->width, s->hidden, s->context,
           s->positions == POSITIONS_LEARNED ? "learned positions" : "sinusoidal positions",
           s->norm == NORM_POST ? "post" : "pre", s->activation == ACTIVATION_GELU ? "gelu" : "relu",
           s->untied ? "untied" : "tied");
    if (s->window)
        printf(", windows %s", s->window);
    printf("\n        %s%s parameters%s, %.1f MB of memory, %s%d %s, kernel %s\n", run->screen.bold,
           thousands(run->plan.parameters).text, run->screen.plain, run->plan.bytes / 1e6,
           run->pace.probing ? "up to " : "", s->threads, s->threads == 1 ? "thread" : "threads",
           matrix_kernel_name());
}

static void announce_training(const Run *run)
{
    const Settings *s = &run->plan.settings;
    printf("steps   %s of %s sequences", thousands((size_t)s->steps).text,
           run->plan.whole_in_a_step ? "all" : thousands((size_t)s->batch).text);
    if (s->accumulate > 1)
        printf(" in %d parts", s->accumulate);
    printf(" (%s epochs); ", thousands((size_t)s->epochs).text);
    if (run->plan.schedule.kind == NOAM)
        printf("noam, factor %g", s->lr_factor);
    else
        printf("%s, rate %g", run->plan.schedule.kind == COSINE ? "cosine" : "constant", s->lr);
    printf(", warm-up %d", s->warmup);
    if (run->plan.schedule.kind != COSINE)
        printf(", cool-down %g", s->cooldown);
    printf(", dropout %g, seed %d\n", s->dropout, s->seed);
    if (s->warmup > s->steps && s->steps > 0)
        printf("        the warm-up is longer than the run: the rate never reaches its height\n");
    printf("run     %s", run->directory);
    if (run->progress.step)
        printf(", going on from step %" PRId64, run->progress.step);
    printf("\n");
}

/* ---- A step ---- */

typedef struct {
    double loss, gradient_norm, rate;
} Step;

/* Forward, backward and update over the next sequences, in as many parts as asked for. */
static Step take_step(Run *run)
{
    const Settings *s = &run->plan.settings;
    Gpt *gpt = &run->gpt;
    const int64_t t = run->progress.step + 1;
    const double began = clock_seconds();
    pace_begin(&run->pace);
    int count;
    const Piece *pieces = reader_take(&run->reader, s->batch, &count);
    size_t targets = 0;
    for (int i = 0; i < count; i++)
        targets += (size_t)pieces[i].length;

    memset(gpt->gradient_block, 0, gpt->numbers * sizeof *gpt->gradient_block);
    const Noise noise = {s->dropout, (uint32_t)s->seed, (uint32_t)t, 0};
    double sum = 0;
    uint32_t row = 0;
    for (int part = 0; part < s->accumulate; part++) {
        const int from = (int)((int64_t)count * part / s->accumulate);
        const int end = (int)((int64_t)count * (part + 1) / s->accumulate);
        if (from == end)
            continue;
        const Batch batch = batch_fill(&run->room, &run->corpus, pieces + from, end - from, row);
        sum += gpt_learn(gpt, &batch, (Real)(1 / (double)targets), noise);
        row += (uint32_t)batch.rows;
    }

    Step step = {sum / (double)targets, adam_gradient_norm(gpt),
                 schedule_rate(&run->plan.schedule, t)};
    if (!isfinite(step.loss) || !isfinite(step.gradient_norm))
        die("step %" PRId64 ": the loss is %g and the gradient's norm %g; the last save is kept; "
            "try a smaller --lr-factor or --lr", t, step.loss, step.gradient_norm);
    const bool clipped = s->clip > 0 && step.gradient_norm > s->clip;
    adam_step(&run->adam, gpt, clipped ? s->clip / step.gradient_norm : 1, step.rate, s->decay, t);
    run->progress.step = t;
    run->progress.epoch = run->reader.epoch;
    run->progress.next = run->reader.next;
    run->tokens += targets;
    pace_end(&run->pace, (clock_seconds() - began) / (double)targets);
    return step;
}

/* The loss over the held-out text or, where nothing is held out, over the training text. Keeps the
 * weights where it is the lowest so far. */
static double evaluate(Run *run)
{
    const Piece *pieces =
        arrlen(run->corpus.held_out) ? run->corpus.held_out : run->corpus.train;
    const ptrdiff_t count = arrlen(pieces);
    double sum = 0;
    size_t targets = 0;
    for (ptrdiff_t from = 0, end; from < count; from = end) {
        int rows = 0;
        for (end = from; end < count && rows + pieces[end].length <= run->room.rows; end++)
            rows += pieces[end].length;
        const Batch batch =
            batch_fill(&run->room, &run->corpus, pieces + from, (int)(end - from), 0);
        sum += gpt_evaluate(&run->gpt, &batch);
        targets += (size_t)rows;
    }
    const double loss = sum / (double)targets;
    if (loss < run->progress.best_loss) {
        run->progress.best_loss = loss;
        run->progress.best_step = run->progress.step;
        run->progress.worse = 0;
        memcpy(run->best, run->gpt.weight_block, run->gpt.numbers * sizeof *run->best);
    } else {
        run->progress.worse++;
    }
    return loss;
}

/* ---- The log ---- */

static LogEntry entry_of(const Run *run, Step step, double evaluated)
{
    const double seconds = clock_seconds() - run->begun;
    const bool whole = !arrlen(run->corpus.held_out);
    return (LogEntry){
        .step = run->progress.step, .epoch = run->progress.epoch + 1, .loss = step.loss,
        .evaluated = evaluated, .gap = whole ? evaluated - run->floor : (double)NAN,
        .rate = step.rate, .gradient_norm = step.gradient_norm,
        .tokens_per_second = seconds > 0 ? (double)run->tokens / seconds : 0, .seconds = seconds,
    };
}

static void show(const Run *run, const LogEntry *entry, double evaluated, bool refresh)
{
    const int64_t steps = run->plan.settings.steps, taken = entry->step - run->first_step;
    char line[256], seen[64] = "";
    if (!isnan(evaluated) && !isnan(run->floor) && !arrlen(run->corpus.held_out))
        snprintf(seen, sizeof seen, "gap %.6f  ", evaluated - run->floor);
    else if (!isnan(evaluated))
        snprintf(seen, sizeof seen, "%s %.4f  ",
                 arrlen(run->corpus.held_out) ? "validation" : "whole text", evaluated);
    const double left = taken > 0 ? entry->seconds / (double)taken * (double)(steps - entry->step)
                                  : 0;
    snprintf(line, sizeof line,
             "step %*" PRId64 "/%" PRId64
             "  loss %.4f  %srate %.2e  norm %.3f  %s tokens/s  %s left",
             (int)strlen(thousands((size_t)steps).text), entry->step, steps, entry->loss, seen,
             entry->rate, entry->gradient_norm, thousands((size_t)entry->tokens_per_second).text,
             duration(left).text);
    if (refresh)
        screen_refresh(&run->screen, line);
    else
        printf("%s\n", line);
}

/* ---- Training ---- */

static bool save(Run *run)
{
    run->saved = clock_seconds();
    if (isinf(run->progress.best_loss)) { /* not evaluated yet: the last weights are the best */
        run->progress.best_step = run->progress.step;
        memcpy(run->best, run->gpt.weight_block, run->gpt.numbers * sizeof *run->best);
    }
    return log_sync(run->log, &run->progress.log_size) &&
           run_save(run->directory, &run->gpt, &run->adam, run->best, &run->progress);
}

/* The signal that asks the run to stop, for the loop to see after each step: the one thing that
 * changes from outside. The second one of its kind ends the program where it stands; the last save
 * is whole. What was ignored from the start, as in the background of a script, stays ignored. */
static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

static void watch_signals(void)
{
    static const int stopping[] = {SIGINT, SIGTERM};
    const struct sigaction noting = {.sa_handler = note_signal,
                                     .sa_flags = SA_RESETHAND | SA_RESTART};
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        struct sigaction before;
        if (!sigaction(stopping[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &noting, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* who reads the log may leave; the training goes on */
}

static bool is_due(int64_t step, int every)
{
    return every > 0 && step % every == 0;
}

/* Saves what is due; a save that fails was said, and the next one may succeed. */
static void save_if_due(Run *run)
{
    const int every = run->plan.settings.checkpoint_every;
    if (every ? is_due(run->progress.step, every) : clock_seconds() - run->saved > 60)
        save(run);
}

static bool out_of_patience(const Run *run)
{
    const int patience = run->plan.settings.patience;
    return patience && run->progress.worse >= patience;
}

/* The loss before the first step, unless it takes longer than the first few steps. */
static bool start_is_worth_a_look(const Run *run)
{
    const Corpus *corpus = &run->corpus;
    const size_t all = arrlen(corpus->held_out) ? corpus->held_out_targets : corpus->train_targets;
    return all / 20 <= (size_t)run->plan.rows || run->plan.settings.steps == 0;
}

/* From where the run is to its end, or until a signal. */
static void train(Run *run)
{
    const Settings *s = &run->plan.settings;
    const int64_t end = s->stop_after && s->stop_after < s->steps ? s->stop_after : s->steps;
    double shown = 0, evaluated = NAN;

    watch_signals();
    run->begun = run->saved = clock_seconds();
    run->first_step = run->progress.step;
    if (run->progress.step == 0 && start_is_worth_a_look(run)) { /* step 0 of the log */
        evaluated = evaluate(run);
        const LogEntry entry = entry_of(run, (Step){NAN, NAN, NAN}, evaluated);
        log_write(run->log, &entry);
        if (!run->screen.terminal)
            printf("start: loss %.4f over the %s text\n", evaluated,
                   arrlen(run->corpus.held_out) ? "held-out" : "whole");
    }
    while (!stop_signal && run->progress.step < end && !out_of_patience(run)) {
        const Step step = take_step(run);
        const int64_t t = run->progress.step;
        const bool evaluating = is_due(t, s->eval_every) || t == s->steps;
        const bool logging = is_due(t, s->log_every) || t == s->steps;
        if (evaluating)
            evaluated = evaluate(run);
        const LogEntry entry = entry_of(run, step, evaluating ? evaluated : (double)NAN);
        if (evaluating || logging)
            log_write(run->log, &entry);
        if (logging && !run->screen.terminal)
            show(run, &entry, evaluated, false);
        if (run->screen.terminal && (entry.seconds - shown > 0.1 || t == s->steps)) {
            show(run, &entry, evaluated, true);
            shown = entry.seconds;
        }
        save_if_due(run);
    }
    if (run->screen.terminal)
        printf("\n");
}

static void conclude_best(const Run *run)
{
    const Progress *p = &run->progress;
    if (isinf(p->best_loss)) {
        printf("best    not known yet: the first evaluation comes after step %d\n",
               run->plan.settings.eval_every);
        return;
    }
    printf("best    step %" PRId64 ": %s%.6f%s", p->best_step, run->screen.bold, p->best_loss,
           run->screen.plain);
    if (arrlen(run->corpus.held_out))
        printf(" over the held-out text\n");
    else if (!isnan(run->floor))
        printf(", %.6f above the floor\n", p->best_loss - run->floor);
    else
        printf(" over the whole text\n");
}

static void conclude(const Run *run)
{
    const Progress *p = &run->progress;
    const Settings *s = &run->plan.settings;
    const double seconds = clock_seconds() - run->begun;
    if (stop_signal)
        printf("stopped by %s after step %" PRId64 " of %d\n", strsignal(stop_signal), p->step,
               s->steps);
    else if (p->step < s->steps && out_of_patience(run))
        printf("no better for %d evaluations: stopped after step %" PRId64 "\n", p->worse, p->step);
    conclude_best(run);
    printf("took    %s, %s tokens/s\n", duration(seconds).text,
           thousands((size_t)((double)run->tokens / seconds)).text);
    if (p->step < s->steps)
        printf("next    ./train --resume %s\n", run->directory);
    else
        printf("next    ./train --resume %s --epochs %d     (goes on; everything is in %s)\n",
               run->directory, 2 * s->epochs, run->directory);
}

static void close_run(Run *run)
{
    fclose(run->log);
    batch_room_free(&run->room);
    reader_free(&run->reader);
    free(run->best);
    adam_free(&run->adam);
    gpt_free(&run->gpt);
    plan_free(&run->plan);
    corpus_free(&run->corpus);
    vocabulary_free(&run->vocabulary);
    text_free(&run->text);
    free(run->directory);
}

/* Options that mean nothing together. */
static void check_together(const Given *given)
{
    static const char *const for_new_runs[] = {"out", "overwrite", "from"};
    const bool resuming = was_given(given, "resume");
    for (size_t i = 0; resuming && i < sizeof for_new_runs / sizeof *for_new_runs; i++)
        if (was_given(given, for_new_runs[i]))
            usage_error("--%s is for a new run, not with --resume", for_new_runs[i]);
    if (!resuming && was_given(given, "text"))
        usage_error("--text names the text of a resumed run; a new run's stands alone: train TEXT");
}

int main(int argc, char **argv)
{
    threads_wait_politely(argv);
    Run run = {.screen = screen_open()};
    Settings settings = {0};
    Given given = {0};
    char *text = NULL;
    fields_preset(SETTINGS, &settings);
    options_parse(&PROGRAM, argc, argv, &settings, &given, &text);
    if (!text == !settings.resume)
        usage_error(text ? "give a TEXT to train on or --resume RUN, not both"
                         : "give a TEXT to train on, or --resume RUN; --help tells all");
    check_together(&given);
    run.text_path = text;

    if (settings.resume)
        open_resumed(&run, &settings, &given);
    else
        open_new(&run, &settings, &given);
    announce_text(&run);
    announce_model(&run);
    announce_training(&run);
    fflush(stdout);
    char *command = command_line(argc, argv);
    if (!run_write_description(run.directory, &run.plan, &run.vocabulary, run.text_path,
                               &run.text, command))
        return 1;

    train(&run);
    if (!save(&run))
        return 1;
    conclude(&run);
    free(command);
    close_run(&run);
    fields_free(SETTINGS, &settings);
    return stop_signal ? 128 + stop_signal : 0;
}
