/* train.c: trains a small GPT on a text file and writes a model directory. It opens a trainer,
 * takes step after step, evaluates, logs and saves when that is due, and prints how to go on. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/files/checksum.h"
#include "base/files/file.h"
#include "base/language.h"
#include "formats/run/files.h"
#include "terminal/options.h"
#include "terminal/process.h"
#include "terminal/screen.h"
#include "terminal/shell.h"
#include "training/evaluation.h"
#include "training/report/announce.h"
#include "training/report/curve.h"
#include "training/report/plot.h"
#include "training/report/report.h"
#include "training/sharing.h"
#include "training/step.h"
#include "training/team/team.h"

/* One call of this program: the run, and what the call has done with it. */
typedef struct {
    Trainer trainer;
    Screen screen;
    Report report;
    Curve curve;         /* of all lines of the log; the leader's */
    double begun, saved; /* clock: when training began, when it last saved */
    int64_t first_step;  /* the one that this call began at */
    int64_t saved_step;  /* the step of the last save that did not fail */
    size_t tokens;       /* trained on */
    int signal;          /* that asked the run to stop, as the leader has told all members */
} Call;

/* ---- Training ---- */

static void begin_training(Call *call);
static bool evaluation_is_due(const Trainer *t);
static bool out_of_patience(const Trainer *t);
static void evaluate_and_log(Call *call);
static bool take_orders(Call *call);
static bool save_is_due(const Call *call);
static bool save(Call *call, const char *otherwise);
static bool keep(const Trainer *t, bool again);

/* What comes after each step: its evaluation, its line in the log, a save. If that fails, the next
 * save may succeed. */
static void follow_up(Call *call)
{
    evaluate_and_log(call);
    if (take_orders(call) && !call->signal && save(call, "training goes on"))
        keep(&call->trainer, true);
}

/* Trains from where the run is to the end of this call, or until a signal. */
static void train(Call *call)
{
    Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const int end = s->stop_after ? min_int(s->stop_after, s->steps) : s->steps;

    call->report = report_new(t, &call->screen, end);
    begin_training(call);
    if (evaluation_is_due(t)) /* before the first step, or because a signal ended it */
        follow_up(call);
    while (!call->signal && t->progress.step < end && !out_of_patience(t)) {
        const double began = clock_seconds();
        const int64_t rows = trainer_step(t);
        report_step_time(&call->report, clock_seconds() - began, rows);
        call->tokens += (size_t)rows;
        follow_up(call);
    }
    report_end(&call->report);
}

/* ---- Signals ---- */

/* The signal that asks the run to stop, looked at after each step and during evaluations. */
static volatile sig_atomic_t stop_signal;

/* A second Ctrl-C or SIGTERM ends the program at once: the last save is complete. A second SIGHUP
 * or SIGXCPU does not: SIGHUP may come from the terminal and its shell, SIGXCPU every second. */
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

/* What a signal prints while the text is read. */
static const char *nothing_written;

/* As long as there is nothing to save, a signal ends the program at once. */
static void leave(int number)
{
    (void)!write(STDERR_FILENO, nothing_written, strlen(nothing_written));
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that was ignored from the start, as SIGINT is in a script's background, stays so. In a
 * team, whose members may all get it, the leader's counts. */
static void watch_signals(void handler(int))
{
    for (size_t i = 0; i < sizeof STOP_SIGNALS / sizeof *STOP_SIGNALS; i++) {
        const struct sigaction noting = {.sa_handler = team_leads() ? handler : SIG_IGN,
                                         .sa_flags = SA_RESTART | STOP_SIGNALS[i].flags};
        struct sigaction before;
        if (!sigaction(STOP_SIGNALS[i].number, NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(STOP_SIGNALS[i].number, &noting, NULL);
    }
}

/* The name of a signal, or NULL. */
static const char *stop_name(int signal)
{
    for (size_t i = 0; i < sizeof STOP_SIGNALS / sizeof *STOP_SIGNALS; i++)
        if (STOP_SIGNALS[i].number == signal)
            return STOP_SIGNALS[i].name;
    return NULL;
}

/* ---- What is due at a step ---- */

/* Nothing is due before the first step, nor ever if `every` is 0. */
static bool is_due(int64_t step, int every)
{
    return step > 0 && every > 0 && step % every == 0;
}

/* The weights are evaluated every --eval-every steps, after the last step, and before the first one
 * unless that would take longer than about 20 steps. Never twice at one step: a resumed run
 * knows whether its last one was evaluated. */
static bool evaluation_is_due(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    if (t->progress.evaluated)
        return false;
    return step == s->steps || is_due(step, s->eval_every) ||
           (!step && corpus_evaluation_rows(&t->corpus, &t->corpus.evaluated) / 20 <= t->plan.rows);
}

/* Whether --patience evaluations in a row were no better than the best one. */
static bool out_of_patience(const Trainer *t)
{
    const int patience = t->plan.settings.patience;
    return patience && t->progress.worse >= patience;
}

/* ---- Saving ---- */

/* Seconds between two saves, unless --checkpoint-every says at which steps they are made. */
static const double SAVE_EVERY = 60;

/* A LogVisit: puts a line of the log into the curve. */
static void add_to_curve(void *curve, const LogEntry *entry)
{
    Curve *c = curve;
    curve_add(&c->loss, entry->step, entry->loss);
    curve_add(&c->evaluated, entry->step, entry->evaluated);
    curve_add(&c->rate, entry->step, entry->rate);
}

/* A resumed run has the lines of its log so far. */
static Curve begin_curve(const Trainer *t)
{
    const bool holds_out = trainer_holds_out(t);
    Curve curve = {.run = t->directory.path,
                   .text = holds_out ? N_("held-out") : N_("all text"),
                   .floor = t->floor,
                   .floor_of = holds_out ? N_("the part trained on") : N_("the text")};
    if (t->plan.settings.resume && team_leads())
        log_each(&t->directory, add_to_curve, &curve);
    return curve;
}

/* Draws the log as it was just saved. A curve that cannot be written is no reason to call the save
 * incomplete, and the next save draws it again: a warning is enough. */
static void draw_curve(const Call *call)
{
    FileWriter writer;
    if (!team_leads() || curve_is_empty(&call->curve) ||
        !file_begin(&writer, &call->trainer.directory, CURVE_FILE))
        return;
    curve_write(writer.stream, &call->curve);
    file_commit(&writer);
}

/* Saves, and notes the time even if that fails, so that a full disk is not tried again after every
 * step. Then the reason is printed, and what it means: `otherwise`. */
static bool save(Call *call, const char *otherwise)
{
    const int64_t step = call->trainer.progress.step;
    call->saved = clock_seconds();
    screen_status(&call->screen, ""); /* a message may follow */
    const bool good = trainer_save(&call->trainer);
    if (good) {
        call->saved_step = step;
        draw_curve(call);
    } else if (call->saved_step != step) {
        screen_paragraph(&call->screen, "unsaved",
                         "step %" PRId64 " is not saved; the save of step %" PRId64
                         " is still complete; %s",
                         step, call->saved_step, translated(otherwise));
    }
    return good;
}

static bool save_is_due(const Call *call)
{
    const Settings *s = &call->trainer.plan.settings;
    return s->checkpoint_every ? is_due(call->trainer.progress.step, s->checkpoint_every)
                               : clock_seconds() - call->saved > SAVE_EVERY;
}

/* Makes the checkpoint of this step if one is due: again, after the step was saved, or if it is
 * missing, because a run was killed between saving and keeping, or because keeping failed. A step
 * whose evaluation is still due has none yet. Returns whether none is missing now. */
static bool keep(const Trainer *t, bool again)
{
    const Settings *s = &t->plan.settings;
    const bool due = s->keep && is_due(t->progress.step, s->checkpoint_every);
    return !due || evaluation_is_due(t) || trainer_keep(t, again);
}

/* ---- After a step ---- */

/* An EvaluationWatch: shows how much of the evaluation is done; false after a signal. */
static bool watch_evaluation(void *report, double share)
{
    report_evaluating(report, share);
    return !stop_signal;
}

/* A SourceWatch. */
static void watch_reading(void *task, const char *doing, double share)
{
    screen_task(task, doing, share);
}

/* The line of the log for the step that was just taken. What is not known is NAN: the evaluation if
 * none was made, the gap if no floor belongs to what is evaluated, and before the first step its
 * own numbers. */
static LogEntry entry_of(const Call *call, double evaluated)
{
    const Trainer *t = &call->trainer;
    const Progress *p = &t->progress;
    const double seconds = clock_seconds() - call->begun;
    LogEntry entry = {.step = p->step,
                      .epoch = p->epoch + 1,
                      .loss = p->loss,
                      .evaluated = evaluated,
                      .bits_per_byte = trainer_bits(t, evaluated),
                      .gap = trainer_has_floor(t) ? evaluated - t->floor : (double)NAN,
                      .rate = schedule_rate(&t->plan.schedule, p->step),
                      .gradient_norm = p->gradient_norm,
                      .tokens_per_second = seconds > 0 ? (double)call->tokens / seconds : 0,
                      .seconds = seconds};
    if (!p->step)
        entry.loss = entry.rate = entry.gradient_norm = NAN;
    return entry;
}

/* Logs the step that was just taken, and evaluates first if that is due. A signal ends an
 * evaluation: then nothing is logged, and the resumed run does it again. */
static void evaluate_and_log(Call *call)
{
    Trainer *t = &call->trainer;
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    const bool evaluates = evaluation_is_due(t);
    double evaluated = NAN;
    if (evaluates) {
        const double began = clock_seconds();
        evaluated = trainer_evaluate(t, watch_evaluation, &call->report);
        if (isnan(evaluated))
            return;
        call->report.evaluation_seconds = clock_seconds() - began;
    }
    const LogEntry entry = entry_of(call, evaluated);
    if (evaluates || is_due(step, s->log_every) || step == s->steps) {
        if (team_leads()) {
            log_write(&t->log, &entry);
            add_to_curve(&call->curve, &entry);
        }
        report_row(&call->report, &entry);
    }
    report_step(&call->report, &entry);
}

/* What only the leader of a team knows, it tells all members: whether a signal came, which is noted
 * in the call, and whether a save is due. Returns the latter. */
static bool take_orders(Call *call)
{
    struct {
        int signal;
        bool saves;
    } orders = {.signal = stop_signal, .saves = save_is_due(call)};
    team_share(&orders, sizeof orders);
    call->signal = orders.signal;
    return orders.saves;
}

/* A run that is resumed may have missed a checkpoint. */
static void begin_training(Call *call)
{
    const Trainer *t = &call->trainer;
    call->curve = begin_curve(t);
    call->begun = call->saved = clock_seconds();
    call->first_step = call->saved_step = t->progress.step;
    keep(t, false);
    take_orders(call);
}

/* ---- The end ---- */

/* What was evaluated by a sample is evaluated as a whole once, at the end. */
static void evaluate_whole(Call *call, Ending *ending)
{
    ending->whole = trainer_evaluate_best(&call->trainer, &ending->whole_targets,
                                          &ending->whole_bits, watch_evaluation, &call->report);
    screen_status(&call->screen, "");
}

static void plot(const Call *call)
{
    char *larger = path_in(&call->trainer.directory, CURVE_FILE);
    plot_print(&call->curve, &call->screen, larger);
    free(larger);
}

/* Trains, saves, and prints how it ended; program is the name that it was called by. Returns
 * whether the last step is saved. */
static bool train_and_conclude(Call *call, const char *program)
{
    const Trainer *t = &call->trainer;
    train(call);
    const int64_t step = t->progress.step;
    const bool was_due = call->saved_step == step && step > call->first_step;
    const bool saved =
        (was_due || save(call, "make room, then go on from there")) && keep(t, false);
    take_orders(call); /* a signal may have come meanwhile */
    Ending ending = {.program = program,
                     .signal = stop_name(call->signal),
                     .in_evaluation = call->signal && evaluation_is_due(t),
                     .out_of_patience = out_of_patience(t),
                     .saved = saved,
                     .steps = step - call->first_step,
                     .tokens = call->tokens,
                     .seconds = clock_seconds() - call->begun,
                     .whole = NAN};
    if (saved && t->corpus.evaluated.sample && !call->signal && ending.steps &&
        (step == t->plan.settings.steps || ending.out_of_patience))
        evaluate_whole(call, &ending);
    if (team_leads()) {
        if (saved && ending.steps)
            trainer_record_result(t, ending.seconds);
        if (saved && ending.steps && call->screen.terminal && !t->plan.settings.no_plot)
            plot(call);
        conclude(t, &call->screen, &ending);
    }
    return saved;
}

/* ---- The command line ---- */

/* The options are all settings: training/plan/settings.c has their table. */
static const Program PROGRAM = {
    .fields = SETTINGS,
    .alias = "window", /* the usual name if all patterns are windows */
    .alias_offset = offsetof(Settings, attend),
    .arguments = N_("TEXT..."),
    .summary = N_("Trains a small GPT on TEXT (a UTF-8 file, or - for standard input) and writes a "
                  "model directory. Whatever is not given is chosen to suit the text and printed."),
    .notes = N_("Examples:\n"
                "  train text.txt                  choose everything to suit the text\n"
                "  train text.txt --tokens char    by characters instead of words\n"
                "  train --resume runs/text        continue a run that was stopped\n"
                "  train new.txt --from runs/text  start from a trained model\n"),
};

/* The texts that the command line names, by --text or as words: an stb_ds array that ends with
 * NULL. */
static char **texts_of(char *text, char **words)
{
    char **texts = NULL;
    if (text)
        arrput(texts, text);
    do
        arrput(texts, *words);
    while (*words++);
    return texts;
}

/* The command line, which only the leader of a team reads, for everybody. Returns the paths of the
 * texts: an stb_ds array that ends with NULL. */
static char **read_options(int argc, char **argv, Settings *settings, Decided *decided)
{
    char **texts = NULL;
    if (team_leads()) {
        char **words = options_read(&PROGRAM, argc, argv, settings, decided->at);
        settings_check(settings, decided, words[0]);
        texts = texts_of(settings->text, words);
        for (char **text = texts; *text; text++)
            options_check_path(*text, "data");
        free(words);
    }
    share_settings(settings);
    team_share(decided, sizeof *decided);
    return texts;
}

/* The status is 0 if the run is saved, 1 if it is not, 128 + the signal if one stopped it. */
int main(int argc, char **argv)
{
    /* The process, and those that train with it. */
    process_prepare();
    team_start();
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line comes at once, even in a pipe */
    signal(SIGPIPE, SIG_IGN);         /* if the pipe's reader leaves, training goes on */

    /* The command line. */
    Call call = {.screen = screen_open()};
    Settings settings = {0};
    Decided decided = {{0}};
    char *command = command_line(argv);
    char *arguments = command_line(argv + 1);
    team_agree(checksum_of(arguments, strlen(arguments)), "command line");
    free(arguments);
    char **texts = read_options(argc, argv, &settings, &decided);
    process_start_threads(settings.threads);

    /* The run: what to train, on what, and where to write it. */
    Task reading = {.screen = &call.screen};
    nothing_written =
        format_text("%s%s: %s\n", call.screen.terminal ? "\n" : "", program_invocation_short_name,
                    _("stopped before the first step: nothing was written"));
    watch_signals(leave);
    trainer_open(&call.trainer, texts, &settings, &decided, watch_reading, &reading);
    screen_status(&call.screen, "");
    team_stop_by(&stop_signal);
    watch_signals(note_signal); /* from here on there is something to save */
    if (team_leads())
        announce(&call.trainer, &call.screen);

    /* Training. A new run is saved before its first step: from then on it can be resumed, whatever
     * ends it. */
    const bool good = trainer_begin_files(&call.trainer, command) &&
                      (settings.resume || trainer_save(&call.trainer)) &&
                      train_and_conclude(&call, argv[0]);

    team_end();
    trainer_close(&call.trainer);
    free(command);
    arrfree(texts);
    fields_free(SETTINGS, &settings);
    if (!good)
        return 1;
    return stop_signal ? 128 + stop_signal : 0;
}
