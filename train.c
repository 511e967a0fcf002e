/* train.c: trains a small GPT on a text file and writes a model directory. It opens a trainer,
 * takes step after step, evaluates, logs and saves when that is due, and prints how to go on. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "training/trainer.h"
#include "program/announce.h"
#include "program/options.h"
#include "program/process.h"
#include "program/report.h"
#include "program/screen.h"
#include "program/shell.h"

static const Program PROGRAM = {
    .fields = SETTINGS,
    .arguments = "TEXT",
    .summary = "Trains a small GPT on TEXT (a UTF-8 file, or - for standard input) and writes a "
               "model directory. Whatever is not given is chosen to suit the text and printed.",
    .notes = "Examples:\n"
             "  train text.txt                  choose everything to suit the text\n"
             "  train text.txt --tokens char    by characters instead of words\n"
             "  train --resume runs/text        continue a run that was stopped\n"
             "  train new.txt --from runs/text  start from a trained model\n",
    .most_arguments = 1,
};

/* One call of this program: the run, and what the call has done with it. */
typedef struct {
    Trainer trainer;
    Screen screen;
    Report report;
    double begun, saved; /* clock: when training began, when it last saved */
    int64_t first_step, saved_step;
    size_t tokens; /* trained on */
} Call;

/* ---- Signals ---- */

/* The signal that asks the run to stop, looked at after each step and during evaluations. A signal
 * that was ignored from the start, as SIGINT is in a script's background, stays ignored. */
static volatile sig_atomic_t stop_signal;

/* A second Ctrl-C or SIGTERM ends the program at once: the last save is complete. SIGHUP comes from
 * the terminal and from its shell, SIGXCPU every second, so these two may come again. */
static const struct {
    int number, flags;
    const char *name;
} STOP_SIGNALS[] = {{SIGINT, SA_RESETHAND, "Ctrl-C"},
                    {SIGTERM, SA_RESETHAND, "SIGTERM"},
                    {SIGHUP, 0, "SIGHUP"},
                    {SIGXCPU, 0, "SIGXCPU"}};

static void note_signal(int number)
{
    stop_signal = number;
}

static void watch_signals(void)
{
    for (size_t i = 0; i < sizeof STOP_SIGNALS / sizeof *STOP_SIGNALS; i++) {
        const struct sigaction noting = {.sa_handler = note_signal,
                                         .sa_flags = SA_RESTART | STOP_SIGNALS[i].flags};
        struct sigaction before;
        if (!sigaction(STOP_SIGNALS[i].number, NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(STOP_SIGNALS[i].number, &noting, NULL);
    }
}

static const char *stop_name(void)
{
    size_t i = 0;
    while (STOP_SIGNALS[i].number != stop_signal)
        i++;
    return STOP_SIGNALS[i].name;
}

/* ---- Saving ---- */

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
    return step > 0 && every > 0 && step % every == 0;
}

/* The weights are evaluated every so many steps, after the last step, and before the first one
 * unless that would take longer than the first few steps. */
static bool evaluation_is_due(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    const size_t targets =
        trainer_holds_out(t) ? t->corpus.held_out_targets : t->corpus.train_targets;
    if (t->progress.evaluated)
        return false;
    return step == s->steps || is_due(step, s->eval_every) ||
           (!step && targets / 20 <= (size_t)t->plan.rows);
}

/* What a save that failed means; why it failed has been printed. */
static void say_unsaved(const Call *call, const char *then)
{
    if (call->saved_step != call->trainer.progress.step)
        screen_paragraph(&call->screen, "unsaved",
                         "step %" PRId64 " is not saved; the save of step %" PRId64
                         " is still complete; %s",
                         call->trainer.progress.step, call->saved_step, then);
}

/* Saves if a save is due. If it fails, the next one may succeed. */
static void save_if_due(Call *call)
{
    const Settings *s = &call->trainer.plan.settings;
    const int every = s->checkpoint_every;
    if (every ? !is_due(call->trainer.progress.step, every) : clock_seconds() - call->saved <= 60)
        return;
    screen_status(&call->screen, ""); /* a message may follow */
    if (!save(call))
        say_unsaved(call, "training goes on");
    else if (s->keep)
        trainer_keep(&call->trainer, true);
}

/* Makes the checkpoint of this step if it is missing, because a run was killed between saving and
 * keeping, or because keeping failed. A step whose evaluation is still due has none yet. Returns
 * whether none is missing now. */
static bool keep_if_missed(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const bool due = s->keep && is_due(t->progress.step, s->checkpoint_every);
    return !due || evaluation_is_due(t) || trainer_keep(t, false);
}

static bool save_at_end(Call *call)
{
    const int64_t step = call->trainer.progress.step;
    const bool saved = call->saved_step == step && step > call->first_step;
    return (saved || save(call)) && keep_if_missed(&call->trainer);
}

/* ---- Training ---- */

/* The step at which this call stops. */
static int64_t last_step(const Settings *s)
{
    return s->stop_after && s->stop_after < s->steps ? s->stop_after : s->steps;
}

static bool out_of_patience(const Trainer *t)
{
    const int patience = t->plan.settings.patience;
    return patience && t->progress.worse >= patience;
}

static bool watch_evaluation(void *report, double share)
{
    report_evaluating(report, share);
    return !stop_signal;
}

/* Logs the step that was just taken, and evaluates first if that is due. A signal ends an
 * evaluation: then nothing is logged, and the resumed run does it again. */
static void evaluate_and_log(Call *call)
{
    Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const Progress *p = &t->progress;
    const bool evaluates = evaluation_is_due(t);
    const double began = clock_seconds();
    double evaluated = NAN;
    if (evaluates) {
        evaluated = trainer_evaluate(t, watch_evaluation, &call->report);
        if (isnan(evaluated))
            return;
        report_evaluation_time(&call->report, clock_seconds() - began);
    }
    const double seconds = clock_seconds() - call->begun;
    const LogEntry entry = {.step = p->step,
                            .epoch = p->epoch + 1,
                            .loss = p->step ? p->loss : (double)NAN,
                            .evaluated = evaluated,
                            .gap = trainer_holds_out(t) ? (double)NAN : evaluated - t->floor,
                            .rate =
                                p->step ? schedule_rate(&t->plan.schedule, p->step) : (double)NAN,
                            .gradient_norm = p->step ? p->gradient_norm : (double)NAN,
                            .tokens_per_second = seconds > 0 ? (double)call->tokens / seconds : 0,
                            .seconds = seconds};
    if (evaluates || is_due(p->step, s->log_every) || p->step == s->steps) {
        log_write(&t->log, &entry);
        report_row(&call->report, &entry);
    }
    report_step(&call->report, &entry);
}

/* Trains from where the run is to the end of this call, or until a signal. */
static void train(Call *call)
{
    Trainer *t = &call->trainer;
    const int64_t end = last_step(&t->plan.settings);

    call->report = report_new(t, &call->screen, end);
    call->begun = call->saved = clock_seconds();
    call->first_step = call->saved_step = t->progress.step;
    keep_if_missed(t);
    if (evaluation_is_due(t)) { /* before the first step, or because a signal ended it */
        evaluate_and_log(call);
        if (!stop_signal)
            save_if_due(call);
    }
    while (!stop_signal && t->progress.step < end && !out_of_patience(t)) {
        const double began = clock_seconds();
        const int64_t targets = trainer_step(t);
        report_step_time(&call->report, clock_seconds() - began, targets);
        call->tokens += (size_t)targets;
        evaluate_and_log(call);
        if (!stop_signal)
            save_if_due(call);
    }
    screen_status(&call->screen, "");
    if (call->report.has_header)
        printf("\n");
}

int main(int argc, char **argv)
{
    process_prepare();
    setvbuf(stdout, NULL, _IOLBF, 0); /* whoever reads in a pipe reads along */
    signal(SIGPIPE, SIG_IGN);         /* and may leave; the training goes on */
    signal(SIGXFSZ, SIG_IGN);         /* a file that may not grow is a save that fails */
    Call call = {.screen = screen_open()};
    Settings settings = {0};
    Decided decided = {{0}};
    char *text = NULL, *command = command_line(argc, argv); /* argp will move the words about */
    fields_preset(SETTINGS, &settings);
    options_parse(&PROGRAM, argc, argv, &settings, decided.at, &text);
    settings_check(&settings, &decided, text);
    process_start_threads(settings.threads);

    Trainer *trainer = &call.trainer;
    trainer_open(trainer, text, &settings, &decided);
    watch_signals(); /* from here on there are files */
    announce(trainer, &call.screen);

    bool good = trainer_begin_files(trainer, command);
    if (good && !settings.resume) /* from now on, whatever ends the run, it can go on */
        good = trainer_save(trainer);
    if (good) {
        train(&call);
        good = save_at_end(&call);
        if (!good)
            say_unsaved(&call, "make room, then go on from there");
        const Ending ending = {.program = argv[0],
                               .signal = stop_signal ? stop_name() : NULL,
                               .in_evaluation = stop_signal && evaluation_is_due(trainer),
                               .out_of_patience = out_of_patience(trainer),
                               .saved = good,
                               .steps = trainer->progress.step - call.first_step,
                               .tokens = call.tokens,
                               .seconds = clock_seconds() - call.begun};
        conclude(trainer, &call.screen, &ending);
    }
    trainer_close(trainer);
    free(command);
    fields_free(SETTINGS, &settings);
    return !good ? 1 : stop_signal ? 128 + stop_signal : 0;
}
