/* train.c: trains a small GPT on a text file and leaves a model directory behind. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/trainer.h"
#include "program/announce.h"
#include "program/options.h"
#include "program/process.h"
#include "program/screen.h"

static const Program PROGRAM = {
    .fields = SETTINGS,
    .arguments = "TEXT",
    .summary = "Trains a small GPT on TEXT (a UTF-8 file, or - for standard input) and writes a "
               "model directory. What is not given is chosen to suit the text and printed.",
    .notes = "A run that was stopped goes on with: train --resume RUN\n",
    .most_arguments = 1,
};

/* A call of this program: the run, and how it looks from outside. */
typedef struct {
    char *program; /* as it was called */
    Trainer trainer;
    Screen screen;
    double begun, saved; /* clock */
    int64_t first_step, saved_step;
    bool given_up;    /* the evaluation after the last step was: the save before it counts */
    size_t tokens;    /* trained on by this call */
    double evaluated; /* the last evaluation's loss; NAN before the first */
} Call;

/* ---- The log ---- */

static LogEntry entry_of(const Call *call, Step step, double evaluated)
{
    const Trainer *t = &call->trainer;
    const double seconds = clock_seconds() - call->begun;
    return (LogEntry){.step = t->progress.step,
                      .epoch = t->progress.epoch + 1,
                      .loss = step.loss,
                      .evaluated = evaluated,
                      .gap = trainer_holds_out(t) ? (double)NAN : evaluated - t->floor,
                      .rate = step.rate,
                      .gradient_norm = step.gradient_norm,
                      .tokens_per_second = seconds > 0 ? (double)call->tokens / seconds : 0,
                      .seconds = seconds};
}

/* The parts of a shown line, in their order. */
typedef enum { STEP, LOSS, EVALUATED, RATE, NORM, SPEED, LEFT, PARTS } LinePart;
typedef struct {
    char part[PARTS][48]; /* "" where there is none */
} Line;

__attribute__((format(printf, 3, 4))) static void put(Line *line, LinePart part, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->part[part], sizeof line->part[part], format, arguments);
    va_end(arguments);
}

static void put_evaluation(Line *line, const Call *call)
{
    const Trainer *t = &call->trainer;
    if (isnan(call->evaluated))
        return;
    if (trainer_holds_out(t))
        put(line, EVALUATED, "validation %.4f", call->evaluated);
    else if (isnan(t->floor))
        put(line, EVALUATED, "whole text %.4f", call->evaluated);
    else
        put(line, EVALUATED, "gap %.6f", call->evaluated - t->floor);
}

/* The parts with spaces between them; where they need more columns than there are, the last to be
 * missed go first. */
static void join(char *text, size_t size, Line *line, int columns)
{
    static const LinePart dispensable[] = {NORM, RATE, SPEED, EVALUATED, LEFT, LOSS};
    const int most = sizeof dispensable / sizeof *dispensable;
    for (int dropped = 0;; dropped++) {
        int length = 0;
        text[0] = 0;
        for (int i = 0; i < PARTS; i++)
            if (*line->part[i])
                length += snprintf(text + length, size - (size_t)length, "%s%s", length ? "  " : "",
                                   line->part[i]);
        if (length <= columns || dropped == most)
            return;
        *line->part[dispensable[dropped]] = 0;
    }
}

/* The step at which this call stops. */
static int64_t last_step(const Settings *s)
{
    return s->stop_after && s->stop_after < s->steps ? s->stop_after : s->steps;
}

/* A plain line in a pipe; on a terminal, one line that refreshes. */
static void show(const Call *call, const LogEntry *entry)
{
    Line line = {{""}};
    char text[sizeof line + 2 * (size_t)PARTS];
    const Settings *s = &call->trainer.plan.settings;
    const double each = entry->seconds / (double)(entry->step - call->first_step);
    put(&line, STEP, "step %*" PRId64 "/%d", snprintf(NULL, 0, "%d", s->steps), entry->step,
        s->steps);
    put(&line, LOSS, "loss %.4f", entry->loss);
    put_evaluation(&line, call);
    put(&line, RATE, "rate %.2e", entry->rate);
    put(&line, NORM, "norm %.3f", entry->gradient_norm);
    put(&line, SPEED, "%s tokens/s", thousands((size_t)entry->tokens_per_second).text);
    put(&line, LEFT, "%s left", duration(each * (double)(last_step(s) - entry->step)).text);
    join(text, sizeof text, &line, screen_room(&call->screen));
    if (call->screen.terminal)
        screen_refresh(&call->screen, text);
    else
        printf("%s\n", text);
}

/* ---- Training ---- */

/* The signal that asks the run to stop, for the loop to see after each step: the one thing that
 * changes from outside. A second one of a person's ends the program where it stands; the last save
 * is whole. What was ignored from the start, as in the background of a script, stays ignored. */
static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

/* The kernel's come more than once for one reason: SIGHUP from the terminal that goes and from its
 * shell, SIGXCPU every second beyond the limit. */
static void watch_signals(void)
{
    static const struct {
        int number, once;
    } stopping[] = {{SIGINT, SA_RESETHAND}, {SIGTERM, SA_RESETHAND}, {SIGHUP, 0}, {SIGXCPU, 0}};
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        const struct sigaction noting = {.sa_handler = note_signal,
                                         .sa_flags = SA_RESTART | stopping[i].once};
        struct sigaction before;
        if (!sigaction(stopping[i].number, NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(stopping[i].number, &noting, NULL);
    }
}

static bool save(Call *call)
{
    call->saved = clock_seconds();
    if (!trainer_save(&call->trainer))
        return false;
    call->saved_step = call->trainer.progress.step;
    return true;
}

static bool is_due(int64_t step, int every)
{
    return every > 0 && step % every == 0;
}

/* What follows from a save that failed; why it did was said. */
static void say_unsaved(const Call *call, const char *then)
{
    if (call->saved_step != call->trainer.progress.step)
        printf("step %" PRId64 " is not saved, step %" PRId64 " still is; %s\n",
               call->trainer.progress.step, call->saved_step, then);
}

/* Saves what is due. Where that fails the next one may succeed. */
static void save_if_due(Call *call)
{
    const Settings *s = &call->trainer.plan.settings;
    const int every = s->checkpoint_every;
    if (every ? !is_due(call->trainer.progress.step, every) : clock_seconds() - call->saved <= 60)
        return;
    screen_refresh(&call->screen, ""); /* there may be something to say */
    if (!save(call))
        say_unsaved(call, "the training goes on");
    else if (s->keep)
        trainer_keep(&call->trainer, true);
}

/* A run that was killed between a save and its keeping makes up for it, and so does one where that
 * failed. Whether nothing is missed now. */
static bool keep_if_missed(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    const bool due = step && s->keep && is_due(step, s->checkpoint_every);
    return !due || trainer_keep(t, false);
}

static bool out_of_patience(const Trainer *t)
{
    const int patience = t->plan.settings.patience;
    return patience && t->progress.worse >= patience;
}

static bool evaluates_after(const Settings *s, int64_t step)
{
    return is_due(step, s->eval_every) || step == s->steps;
}

static size_t evaluated_targets(const Trainer *t)
{
    return trainer_holds_out(t) ? t->corpus.held_out_targets : t->corpus.train_targets;
}

/* An evaluation that takes long can be given up for a signal where the step before it has been
 * saved: the run goes on from there, does the step and the evaluation again, and has the same bits
 * as if nobody had stopped it. */
static void prepare_to_give_up(Call *call)
{
    enum { LONG = 2 }; /* seconds */
    Trainer *t = &call->trainer;
    const double token = call->tokens ? (clock_seconds() - call->begun) / (double)call->tokens : 0;
    const double expected = token / 3 * (double)evaluated_targets(t); /* forward alone */
    if (call->saved_step != t->progress.step && expected > LONG &&
        evaluates_after(&t->plan.settings, t->progress.step + 1))
        save(call);
    t->stop = call->saved_step == t->progress.step ? &stop_signal : NULL;
}

/* The loss before the first step, unless it takes longer than the first few steps. */
static void look_at_start(Call *call)
{
    Trainer *t = &call->trainer;
    const bool dear = evaluated_targets(t) / 20 > (size_t)t->plan.rows && t->plan.settings.steps;
    if (t->progress.step || !isinf(t->progress.best_loss) || dear)
        return;
    t->stop = &stop_signal;
    call->evaluated = trainer_evaluate(t);
    if (stop_signal && isnan(call->evaluated))
        return;
    const LogEntry entry = entry_of(call, (Step){NAN, NAN, NAN, 0}, call->evaluated);
    log_write(&t->log, &entry);
    if (!call->screen.terminal)
        printf("start: loss %.4f over the %s text\n", call->evaluated,
               trainer_holds_out(t) ? "held-out" : "whole");
}

/* One step, evaluated and logged where that is due. */
static void step_and_log(Call *call)
{
    Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    prepare_to_give_up(call);
    const Step step = trainer_step(t);
    const bool evaluating = evaluates_after(s, t->progress.step);
    const bool logging = is_due(t->progress.step, s->log_every) || t->progress.step == s->steps;
    call->tokens += (size_t)step.targets;
    if (evaluating) {
        call->evaluated = trainer_evaluate(t);
        call->given_up = stop_signal && t->stop && isnan(call->evaluated);
    }
    if (call->given_up)
        return;
    const LogEntry entry = entry_of(call, step, evaluating ? call->evaluated : (double)NAN);
    if (evaluating || logging)
        log_write(&t->log, &entry);
    const bool ends = t->progress.step == last_step(s);
    if (call->screen.terminal ? ends || screen_is_due(&call->screen, entry.seconds) : logging)
        show(call, &entry);
}

/* From where the run is to its end, or until a signal. */
static void train(Call *call)
{
    Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const int64_t end = last_step(s);

    call->begun = call->saved = clock_seconds();
    call->first_step = call->saved_step = t->progress.step;
    keep_if_missed(t);
    look_at_start(call);
    while (!stop_signal && t->progress.step < end && !out_of_patience(t)) {
        step_and_log(call);
        if (!call->given_up)
            save_if_due(call);
    }
    if (call->screen.terminal && t->progress.step > call->first_step)
        printf("\n");
}

/* Whether the end is on the disk: it may have been due for a save already. */
static bool save_at_end(Call *call)
{
    const int64_t step = call->trainer.progress.step;
    if (call->given_up) /* what came behind the save, lines of the log too, will be done again */
        return true;
    const bool saved = call->saved_step == step && step > call->first_step;
    return (saved || save(call)) && keep_if_missed(&call->trainer) &&
           log_is_safe(&call->trainer.log);
}

/* ---- What came of it ---- */

static void conclude_best(const Trainer *t, const Screen *screen)
{
    const Progress *p = &t->progress;
    const Settings *s = &t->plan.settings;
    if (isinf(p->best_loss)) {
        printf("best    not known yet: the first evaluation comes with step %d\n",
               s->eval_every < s->steps ? s->eval_every : s->steps);
        return;
    }
    printf("best    step %" PRId64 ": %s%.6f%s", p->best_step, screen->bold, p->best_loss,
           screen->plain);
    if (trainer_holds_out(t))
        printf(" over the held-out text\n");
    else if (!isnan(t->floor))
        printf(", %.6f above the floor\n", p->best_loss - t->floor);
    else
        printf(" over the whole text\n");
}

/* A finished model wants to be tried: by the program that stands beside this one. */
static void conclude_try(const Call *call)
{
    const char *slash = strrchr(call->program, '/'), *run = call->trainer.directory;
    char *sample =
        format_text("%.*ssample", slash ? (int)(slash + 1 - call->program) : 0, call->program);
    char *words[] = {sample,
                     format_text("%s%s", *run == '-' ? "./" : "", run)}; /* it is no option */
    char *line = command_line(2, words);
    printf("try     %s\n", line);
    free(line);
    free(words[1]);
    free(sample);
}

/* What to type next, as a shell would take it. */
static void conclude_next(const Call *call)
{
    const Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const bool unfinished = t->progress.step < s->steps;
    char epochs[16], *copy = run_text_path(t->directory);
    char *words[9] = {call->program, "--resume", t->directory};
    int count = 3;
    if (!copy) { /* of a text that is large; what came from standard input must be given a name */
        words[count++] = "--text";
        words[count++] = strcmp(t->text_path, "-") ? (char *)t->text_path : "FILE";
    }
    if (!unfinished || out_of_patience(t)) {
        snprintf(epochs, sizeof epochs, "%d", s->epochs < INT_MAX / 2 ? 2 * s->epochs : INT_MAX);
        words[count++] = unfinished ? "--patience" : "--epochs";
        words[count++] = unfinished ? "0" : epochs;
    }
    char *line = command_line(count, words), *directory = command_line(1, &t->directory);
    printf("next    %s", line);
    if (!unfinished)
        printf("     # goes on; everything is in %s", directory);
    else if (out_of_patience(t))
        printf("     # goes on all the same");
    printf("\n");
    free(directory);
    free(line);
    free(copy);
}

static void conclude(const Call *call)
{
    const Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const double seconds = clock_seconds() - call->begun;
    if (call->given_up)
        printf("stopped by %s in the evaluation after step %" PRId64 " of %d: it goes on from step "
               "%" PRId64 "\n",
               strsignal(stop_signal), t->progress.step, s->steps, call->saved_step);
    else if (stop_signal)
        printf("stopped by %s after step %" PRId64 " of %d\n", strsignal(stop_signal),
               t->progress.step, s->steps);
    else if (t->progress.step < s->steps && out_of_patience(t))
        printf("no better for %d evaluations: stopped after step %" PRId64 "\n", t->progress.worse,
               t->progress.step);
    else if (s->steps && call->first_step == s->steps)
        printf("nothing was left to do: all %d steps had been taken\n", s->steps);
    conclude_best(t, &call->screen);
    printf("took    %s, %s tokens/s\n", duration(seconds).text,
           thousands((size_t)((double)call->tokens / seconds)).text);
    if (t->progress.step == s->steps)
        conclude_try(call);
    conclude_next(call);
}

int main(int argc, char **argv)
{
    process_prepare();
    setvbuf(stdout, NULL, _IOLBF, 0); /* whoever reads in a pipe reads along */
    signal(SIGPIPE, SIG_IGN);         /* and may leave; the training goes on */
    signal(SIGXFSZ, SIG_IGN);         /* a file that may not grow is a save that fails */
    Call call = {.program = argv[0], .screen = screen_open(), .evaluated = NAN};
    Settings settings = {0};
    Decided decided = {{0}};
    char *text = NULL, *command = command_line(argc, argv); /* argp will move the words about */
    fields_preset(SETTINGS, &settings);
    options_parse(&PROGRAM, argc, argv, &settings, decided.at, &text);
    settings_check(&settings, &decided, text);

    Trainer *trainer = &call.trainer;
    trainer_open(trainer, text, &settings, &decided);
    watch_signals(); /* from here on there are files */
    announce(trainer, &call.screen);

    bool good = trainer_describe(trainer, command);
    if (good && !settings.resume) /* from now on, whatever ends the run, it can go on */
        good = trainer_save(trainer);
    if (good) {
        train(&call);
        good = save_at_end(&call);
        if (good) {
            conclude(&call);
        } else {
            say_unsaved(&call, "make room, and go on from there:");
            conclude_next(&call);
        }
    }
    trainer_close(trainer);
    free(command);
    fields_free(SETTINGS, &settings);
    return !good ? 1 : stop_signal ? 128 + stop_signal : 0;
}
