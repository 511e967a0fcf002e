/* train.c: trains a small GPT on a text file and writes a model directory. It opens a trainer,
 * takes step after step, evaluates, logs and saves when that is due, and prints how to go on. Or it
 * verifies a run, or compares several. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/language.h"
#include "base/system/system.h"
#include "programs/terminal/options.h"
#include "programs/terminal/process.h"
#include "programs/train/session.h"
#include "programs/train/team/team.h"

/* ---- Signals ---- */

/* The signal that asks the run to stop, looked at after each step and during evaluations. */
volatile sig_atomic_t stop_signal; /* not static: what runs WebAssembly writes there */

/* A second Ctrl-C or SIGTERM ends the program at once: the last save is complete. A second SIGHUP
 * or SIGXCPU does not: SIGHUP may come from the terminal and its shell, SIGXCPU every second. */
static const struct {
    int number;
    bool once;
    const char *name;
} STOP_SIGNALS[] = {{SIGINT, true, "Ctrl-C"},
                    {SIGTERM, true, "SIGTERM"},
                    {SIGHUP, false, "SIGHUP"},
                    {SIGXCPU, false, "SIGXCPU"},
                    {SIGPIPE, false, "SIGPIPE"}};

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
        const int number = STOP_SIGNALS[i].number;
        SignalHandler *const before =
            signal_catch(number, team_leads() ? handler : SIG_IGN, STOP_SIGNALS[i].once, false);
        if (before == SIG_IGN)
            signal(number, SIG_IGN);
    }
}

/* A SignalName. */
static const char *stop_name(int signal)
{
    for (size_t i = 0; i < sizeof STOP_SIGNALS / sizeof *STOP_SIGNALS; i++)
        if (STOP_SIGNALS[i].number == signal)
            return STOP_SIGNALS[i].name;
    return NULL;
}

/* ---- The command line ---- */

/* The options are all settings: programs/train/plan/settings.c has their table. */
static const Program PROGRAM = {
    .fields = SETTINGS,
    .letter = 'o',
    .letter_offset = offsetof(Settings, out),
    .alias = "window", /* the usual name if all patterns are windows */
    .alias_offset = offsetof(Settings, attend),
    .first = "tokens,layers,heads,width,context,steps,seed,out,resume,from",
    .arguments = N_("TEXT..."),
    .summary = N_("Trains a small GPT on TEXT (a UTF-8 file, or - for standard input) and writes a "
                  "model directory. Whatever is not given is chosen to suit the text and printed."),
    .notes = N_("Examples:\n"
                "  train text.txt                  choose everything to suit the text\n"
                "  train text.txt --tokens char    by characters instead of words\n"
                "  train --resume runs/text        continue a run that was stopped\n"
                "  train new.txt --from runs/text  start from a trained model\n"),
};

/* The command line, which only the leader of a team reads, for everybody. Returns the paths of the
 * texts that it names, by --text, as words or by --val-text: an stb_ds array that ends with
 * NULL. */
static char **read_options(int argc, char **argv, Trainer *t)
{
    Settings *settings = &t->plan.settings;
    char **texts = NULL;
    if (team_leads()) {
        AUTOFREE char **words = options_read(&PROGRAM, argc, argv, settings, t->decided.at);
        settings_check(settings, &t->decided, words[0]);
        if (settings->text)
            arrput(texts, settings->text);
        for (char **word = words; *word; word++)
            arrput(texts, *word);
        if (settings->val_text)
            arrput(texts, settings->val_text);
        for (ptrdiff_t i = 0; i < arrlen(texts); i++)
            options_check_path(texts[i], settings->compare ? "runs" : "data");
        arrput(texts, NULL);
    }
    share_settings(settings);
    team_share(&t->decided, sizeof t->decided);
    return texts;
}

/* A SourceWatch. */
static void watch_reading(void *task, const char *doing, double share)
{
    screen_task(task, doing, share);
}

/* Opens the trainer, and trains to the end of this call, or until a signal; what is due after a
 * step is in programs/train/session.c, the step itself in programs/train/step.c. */
static bool open_and_train(Session *session, const char *command, const char *program)
{
    nothing_written = format_text("%s%s: %s\n", session->screen.terminal ? "\n" : "",
                                  program_invocation_short_name,
                                  _("stopped before the first step: nothing was written"));
    process_start_threads(session->trainer.plan.settings.threads);
    watch_signals(leave);
    trainer_open(&session->trainer);
    screen_status(&session->screen, "");
    team_stop_by(&stop_signal);
    watch_signals(note_signal); /* from here on there is something to save */
    if (team_leads())
        announce(&session->trainer, &session->screen);
    if (!session_begin(session, command))
        return false;
    while (session_step(session))
        continue;
    return session_end(session, program, stop_name);
}

/* The status is 0 if the run is saved, 1 if it is not, 128 + the signal if one stopped it. */
int main(int argc, char **argv)
{
    /* The process, and those that train with it. */
    process_prepare();
    team_start();
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line comes at once, even in a pipe */

    /* The command line. */
    Session session = {.screen = screen_open(), .asked = &stop_signal};
    Trainer *t = &session.trainer;
    AUTOFREE char *command = command_line(argv), *arguments = command_line(argv + 1);
    team_agree(checksum_of(arguments, strlen(arguments)), "command line");
    char **texts = read_options(argc, argv, t);
    const Settings *settings = &t->plan.settings;
    if (settings->json)
        session.screen.terminal = false; /* no status line */
    else
        signal(SIGPIPE, SIG_IGN); /* if the pipe's reader leaves, training goes on */

    /* The run: what to train, on what, and where to write it. */
    Task reading = {.screen = &session.screen};
    t->texts = texts;
    t->rules = (SourceRules){.watch = watch_reading, .watcher = &reading};
    const bool good = settings->compare  ? compare(texts, settings->out, &session.screen)
                      : settings->verify ? verify(&session)
                                         : open_and_train(&session, command, argv[0]);

    team_end();
    if (settings->compare)
        fields_free(SETTINGS, &t->plan.settings);
    else if (!settings->verify)
        trainer_close(t);
    arrfree(texts);
    if (!good)
        return 1;
    return stop_signal ? 128 + stop_signal : 0;
}
