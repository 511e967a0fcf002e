/* session.c: a step is followed by its evaluation, its line in the log, and a save, each when it is
 * due. */
#include "session.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "formats/json.h"
#include "formats/run/log.h"
#include "programs/answer/answer_print.h"
#include "programs/train/team/team.h"

/* ---- What is shown ---- */

/* Continuations of a prompt by a model in training: see --show. They change nothing of the
 * training: another model has a copy of the weights, and the random numbers are those of the seed
 * and the step. */
typedef struct Show {
    Pretrained model; /* the weights are its own, the rest is the trainer's */
    TrainingText text;
    Answerer answerer;
} Show;

/* Answers as sample does: drawn at temperature 1; of pairs, the most probable targets. */
static Show *show_new(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const bool pairs = s->objective == OBJECTIVE_PAIRS;
    const AnswerRules rules = {.count = s->show,
                               .words = answer_length(t->tokenizer.kind),
                               .beam = pairs ? max_int(BEAM_OF_PAIRS, s->show) : 0,
                               .sampling = {.temperature = 1, .top_p = 1},
                               .seed = s->seed};
    Show *show = memory_new(1, sizeof *show, "the generator");
    show->model = (Pretrained){.directory = t->directory,
                               .config = {.causal_source = s->causal_source},
                               .gpt = gpt_new_reader(&t->plan.shape, t->plan.shape.context),
                               .tokenizer = t->tokenizer};
    show->answerer = answerer_new(&show->model, &show->text, rules);
    return show;
}

static void show_free(Show *show)
{
    answerer_free(&show->answerer);
    gpt_free(&show->model.gpt);
    free(show);
}

/* Continues the prompt by the weights that are evaluated, and writes that to t->shown: the text
 * with the prompt, but of pairs only the target. Returns what to print, a line for each
 * continuation: an stb_ds array. Each step draws as if it were a prompt of its own. */
static char **show_continuations(Show *show, Trainer *t)
{
    Answerer *a = &show->answerer;
    const char *prompt = t->plan.settings.prompt ? t->plan.settings.prompt : "";
    char **lines = NULL;
    memcpy(show->model.gpt.weight_block, trainer_evaluated_weights(t), t->gpt.size * sizeof(Real));
    a->asked = (uint32_t)t->progress.step;
    Answer answer = answer_begin(a, "--prompt", prompt, strlen(prompt));
    answer_continue(a, &answer, NULL, NULL);
    for (int i = 0; i < answer.count; i++) {
        const Continuation *c = &answer.continuations[i];
        AUTOFREE char *tail = answer_tail(a, c);
        AUTOFREE char *text = a->pairs ? tokenizer_decode(&t->tokenizer, c->tokens, c->count)
                                       : answer_written(a, &answer, c);
        shown_write(&t->shown, t->progress.step, answer.prompt, text, c->ended, c->log_probability);
        arrput(lines, format_text("%s%s", text, tail));
    }
    answer_free(&answer);
    return lines;
}

/* ---- What is due at a step ---- */

/* Nothing is due before the first step, nor ever if `every` is 0. */
static bool is_due(int64_t step, int every)
{
    return step > 0 && every > 0 && step % every == 0;
}

/* The weights are evaluated every --eval-every steps, early in a long run, after the last step, and
 * before the first one unless that would take longer than about 20 steps. Never twice at one step:
 * a resumed run knows whether its last one was evaluated. */
static bool evaluation_is_due(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    if (t->progress.evaluated)
        return false;
    return step == s->steps || is_due(step, s->eval_every) || step == trainer_first_evaluation(t) ||
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

/* Draws the log as it was just saved. A curve that cannot be written is no reason to call the save
 * incomplete, and the next save draws it again: a warning is enough. */
static void draw_curve(const Session *session)
{
    FileWriter writer;
    if (!team_leads() || curve_is_empty(&session->curve) ||
        !file_begin(&writer, &session->trainer.directory, CURVE_FILE))
        return;
    curve_write(writer.stream, &session->curve);
    file_commit(&writer);
}

/* Notes the time even if that fails, so that a full disk is not tried again after every step. */
bool session_save(Session *session, const char *otherwise)
{
    const int64_t step = session->trainer.progress.step;
    session->saved = clock_seconds();
    screen_status(&session->screen, ""); /* a message may follow */
    const bool good = trainer_save(&session->trainer);
    if (good) {
        session->saved_step = step;
        draw_curve(session);
        if (team_leads())
            card_write(&session->trainer, session->config);
    } else if (session->saved_step != step && !session->trainer.plan.settings.json) {
        screen_paragraph(&session->screen, "unsaved",
                         "step %" PRId64 " is not saved; the save of step %" PRId64
                         " is still complete; %s",
                         step, session->saved_step, translated(otherwise));
    }
    return good;
}

/* Whether this step's save is kept. */
static bool keep_is_due(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    return s->keep && is_due(t->progress.step, s->checkpoint_every);
}

/* Makes the checkpoint of this step if one is due: again, after the step was saved, or if it is
 * missing, because a run was killed between saving and keeping, or because keeping failed. A step
 * whose evaluation is still due has none yet. Returns whether none is missing now. */
static bool keep(const Trainer *t, bool again)
{
    return !keep_is_due(t) || evaluation_is_due(t) || trainer_keep(t, again);
}

/* ---- After a step ---- */

/* An EvaluationWatch: shows how much of the evaluation is done; false after a signal. */
static bool watch_evaluation(void *of, double share)
{
    Session *session = of;
    report_evaluating(&session->report, share);
    return !*session->asked;
}

/* An EvaluationWatch that shows nothing. */
static bool watch_signal(void *of, double share)
{
    const Session *session = of;
    (void)share;
    return !*session->asked;
}

double session_evaluate(Session *session)
{
    const double began = clock_seconds();
    const double evaluated = trainer_evaluate(&session->trainer);
    session->report.evaluation_seconds = clock_seconds() - began;
    return evaluated;
}

LogEntry session_entry(const Session *session, double evaluated)
{
    const Trainer *t = &session->trainer;
    const Progress *p = &t->progress;
    const double seconds = clock_seconds() - session->begun;
    LogEntry entry = {.step = p->step,
                      .epoch = p->epoch + 1,
                      .loss = p->loss,
                      .evaluated = evaluated,
                      .bits_per_byte = bits_per_byte(evaluated, t->token_bytes),
                      .gap = trainer_has_floor(t) ? evaluated - t->floor : (double)NAN,
                      .rate = schedule_rate(&t->plan.schedule, p->step),
                      .gradient_norm = p->gradient_norm,
                      .tokens_per_second = seconds > 0 ? (double)session->tokens / seconds : 0,
                      .seconds = seconds};
    if (!p->step)
        entry.loss = entry.rate = entry.gradient_norm = NAN;
    return entry;
}

/* Logs the step that was just taken, and evaluates first if that is due. A signal ends an
 * evaluation: then nothing is logged, and the resumed run does it again. */
static void evaluate_and_log(Session *session)
{
    Trainer *t = &session->trainer;
    const Settings *s = &t->plan.settings;
    const int64_t step = t->progress.step;
    const bool evaluates = evaluation_is_due(t);
    double evaluated = NAN;
    if (evaluates && isnan(evaluated = session_evaluate(session)))
        return;
    char **shown = evaluates && session->show ? show_continuations(session->show, t) : NULL;
    if (evaluates && s->show) /* only the leader does that */
        team_await_leader();
    if (team_leads() && (evaluates || keep_is_due(t)))
        receipt_add(&t->receipt, trainer_receipt_row(t, evaluated));
    const LogEntry entry = session->last = session_entry(session, evaluated);
    if (evaluates || is_due(step, s->log_every) || step == s->steps) {
        if (team_leads()) {
            log_write(&t->log, &entry);
            add_to_curve(&session->curve, &entry);
        }
        report_row(&session->report, &entry, shown);
    }
    report_step(&session->report, &entry);
}

/* What only the leader of a team knows, it tells all members: whether a signal came, which is noted
 * in the call, and whether a save is due. Returns the latter. */
static bool take_orders(Session *session)
{
    const int every = session->trainer.plan.settings.checkpoint_every;
    struct {
        int signal;
        bool saves;
    } orders = {.signal = *session->asked,
                .saves = every ? is_due(session->trainer.progress.step, every)
                               : clock_seconds() - session->saved > SAVE_EVERY};
    team_share(&orders, sizeof orders);
    session->signal = orders.signal;
    return orders.saves;
}

/* ---- The steps ---- */

/* What comes after each step: its evaluation, its line in the log, a save. If that fails, the next
 * save may succeed. */
static void follow_up(Session *session)
{
    evaluate_and_log(session);
    if (take_orders(session) && !session->signal && session_save(session, "training goes on"))
        keep(&session->trainer, true);
}

void session_start(Session *session, int64_t last)
{
    session->begun = session->saved = clock_seconds();
    session->report = (Report){.trainer = &session->trainer,
                               .screen = &session->screen,
                               .last = last,
                               .printed = session->begun};
    session->trainer.watch = watch_evaluation;
    session->trainer.watcher = session;
}

/* A run that is resumed may have missed a checkpoint. */
bool session_begin(Session *session, const char *command)
{
    Trainer *t = &session->trainer;
    const Settings *s = &t->plan.settings;
    const bool holds_out = trainer_holds_out(t);
    if (!trainer_begin_files(t, command) || (!s->resume && !trainer_save(t)))
        return false;
    session->curve = (Curve){.run = t->directory.path,
                             .text = holds_out ? N_("held-out") : N_("all text"),
                             .floor = t->floor,
                             .floor_of = holds_out ? N_("the part trained on") : N_("the text"),
                             .counting = t->counting.loss};
    if (s->resume && team_leads()) /* it has the lines of its log so far */
        log_each(&t->directory, add_to_curve, &session->curve);
    if (team_leads() && s->show)
        session->show = show_new(t);
    if (team_leads())
        session->config = json_read(&t->directory, CONFIG_FILE);
    session_start(session, s->stop_after ? min_int(s->stop_after, s->steps) : s->steps);
    session->first_step = session->saved_step = t->progress.step;
    keep(t, false);
    take_orders(session);
    if (evaluation_is_due(t)) /* before the first step, or because a signal ended it */
        follow_up(session);
    return true;
}

void session_take_step(Session *session)
{
    const double began = clock_seconds();
    const int64_t rows = trainer_step(&session->trainer);
    report_step_time(&session->report, clock_seconds() - began, rows);
    session->tokens += (size_t)rows;
}

bool session_step(Session *session)
{
    Trainer *t = &session->trainer;
    if (session->signal || t->progress.step >= session->report.last || out_of_patience(t))
        return false;
    session_take_step(session);
    follow_up(session);
    return true;
}

bool session_train_in_memory(Trainer *t, EvaluationWatch *watch, void *watcher)
{
    const int steps = t->plan.settings.steps;
    while (watch(watcher, steps ? (double)t->progress.step / steps : 1)) {
        if (evaluation_is_due(t))
            trainer_evaluate(t);
        if (t->progress.step < steps && !out_of_patience(t)) {
            trainer_step(t);
            continue;
        }
        if (isinf(t->progress.best_loss)) /* of no step, nothing is the best: see trainer_save() */
            trainer_keep_best(t);
        return true;
    }
    return false;
}

/* ---- The end ---- */

bool session_end(Session *session, const char *program, SignalName *signal_name)
{
    Trainer *t = &session->trainer;
    const int64_t step = t->progress.step;
    report_end(&session->report);
    const bool was_due = session->saved_step == step && step > session->first_step;
    const bool saved =
        (was_due || session_save(session, "make room, then go on from there")) && keep(t, false);
    take_orders(session); /* a signal may have come meanwhile */
    /* It is stopped between two evaluations. mpirun leaves a team a second, too little for one. */
    const bool evaluates = saved && step < t->plan.settings.steps && !t->progress.evaluated &&
                           !(session->signal && team_size() > 1);
    Ending ending = {.program = program,
                     .signal = session->signal ? signal_name(session->signal) : NULL,
                     .in_evaluation = session->signal && evaluation_is_due(t),
                     .out_of_patience = out_of_patience(t),
                     .saved = saved,
                     .steps = step - session->first_step,
                     .tokens = session->tokens,
                     .seconds = clock_seconds() - session->begun};
    if (evaluates) {
        screen_status(&session->screen, _("evaluating once more; Ctrl-C ends at once"));
        trainer_evaluate_stopped(t);
        screen_status(&session->screen, "");
    }
    /* What was evaluated by a sample is evaluated as a whole once. */
    if (saved && t->corpus.evaluated.sample && !session->signal &&
        (step == t->plan.settings.steps || ending.out_of_patience)) {
        trainer_evaluate_best(t);
        screen_status(&session->screen, "");
    }
    if (saved && t->plan.settings.counts) {
        /* A signal ends this, but not the one that ended training: such a model has a share too. */
        const bool stopped = session->signal && step < t->plan.settings.steps;
        screen_status(&session->screen, _("learning the share of counting"));
        t->watch = stopped ? NULL : watch_signal;
        trainer_mix(t);
        screen_status(&session->screen, "");
    }
    if (team_leads()) {
        /* Also of a call without a step: the one before may have been killed after its last. If
         * it is stopped, it has perhaps no share, which that one may have. */
        if (saved && (ending.steps || !*session->asked))
            trainer_record_result(t, ending.steps ? ending.seconds : 0);
        if (saved && (evaluates || !isnan(t->whole.loss) || t->plan.settings.counts))
            card_write(t, session->config); /* again, with what was just evaluated or mixed */
        AUTOFREE char *larger = path_in(&t->directory, CURVE_FILE);
        if (saved && ending.steps && session->screen.terminal && !t->plan.settings.no_plot)
            plot_print(&session->curve, &session->screen, larger);
        conclude(t, &session->screen, &ending);
    }
    if (session->show)
        show_free(session->show);
    cJSON_Delete(session->config);
    return saved;
}
