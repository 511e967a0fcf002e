/* report.c: the table's header names, in two lines, what each column holds. The time left is the
 * number of steps and evaluations still to come, each times what the last ones took. */
#include "report.h"

#include <inttypes.h>
#include <limits.h>
#include <stb/stb_ds.h>

#include "base/files/file.h"
#include "base/numbers/elementary.h"
#include "base/utf8.h"
#include "formats/huggingface/weights.h"
#include "model/matrix/matrix.h"
#include "programs/train/plan/floor.h"

/* No estimate is printed before some steps have been timed. The first one is not timed: it also
 * touches the memory and wakes the threads for the first time. */
enum { SKIPPED_STEPS = 1, ENOUGH_STEPS = 3 };

/* In seconds: how long steps are timed before the table begins, unless a row comes earlier; and how
 * old the last row may be where there is no status line, or as JSON. */
static const double TIMED_SECONDS = 0.3, ROW_EVERY = 60, JSON_EVERY = 1, HOUR = 3600;

/* In seconds. A step this old counts 1/e in the means, one three times as old hardly at all. */
static const double MEMORY = 10;

/* ---- JSON ---- */

static bool in_json(const Trainer *t)
{
    return t->plan.settings.json;
}

/* null if it is not finite. */
static void put_json_number(const char *name, double number)
{
    printf(isfinite(number) ? ",\"%s\":%.17g" : ",\"%s\":null", name, number);
}

/* {"run":"runs/perro","step":0,"steps":300,"parameters":101056} */
static void announce_json(const Trainer *t)
{
    printf("{\"run\":");
    put_json(stdout, t->directory.path);
    printf(",\"step\":%" PRId64 ",\"steps\":%d,\"parameters\":%zu}\n", t->progress.step,
           t->plan.settings.steps, t->plan.parameters);
}

/* {"step":15,"epoch":15,"loss":0.889…,"evaluated":0.785…, … ,"seconds":0.039,"shown":[]}: the
 * columns of log.csv, and what --show shows. */
static void put_row_json(const LogEntry *e, char **shown)
{
    printf("{\"step\":%" PRId64 ",\"epoch\":%" PRId64, e->step, e->epoch);
    put_json_number("loss", e->loss);
    put_json_number("evaluated", e->evaluated);
    put_json_number("bits_per_byte", e->bits_per_byte);
    put_json_number("gap", e->gap);
    put_json_number("learning_rate", e->rate);
    put_json_number("gradient_norm", e->gradient_norm);
    put_json_number("tokens_per_second", e->tokens_per_second);
    put_json_number("seconds", e->seconds);
    printf(",\"shown\":[");
    for (ptrdiff_t i = 0; i < arrlen(shown); i++) {
        printf(i ? "," : "");
        put_json(stdout, shown[i]);
    }
    printf("]}\n");
    names_free(shown);
}

/* {"run":"runs/perro","step":300,"best_step":300,"best_loss":0.412…,"checksum":"e934a89039392319",
 *  "stopped":null,"saved":true}: `stopped` is the signal, or the option that ended training. */
static void conclude_json(const Trainer *t, const Ending *ending)
{
    const Progress *p = &t->progress;
    const char *by = ending->signal                      ? ending->signal
                     : p->step == t->plan.settings.steps ? NULL
                     : ending->out_of_patience           ? "--patience"
                                                         : "--stop-after";
    printf("{\"run\":");
    put_json(stdout, t->directory.path);
    printf(",\"step\":%" PRId64 ",\"best_step\":%" PRId64, p->step, p->best_step);
    put_json_number("best_loss", p->best_loss);
    printf(",\"checksum\":\"%s\",\"stopped\":",
           checksum_hex(weights_checksum(&t->gpt, t->best)).text);
    printf(by ? "\"%s\"" : "%s", by ? by : "null");
    printf(",\"saved\":%s}\n", ending->saved ? "true" : "false");
}

/* ---- The time that is left ---- */

/* Seconds until this call ends; 0 if too few steps have been timed. Evaluations come every
 * eval_every steps and after the run's last one, if that is not one of them. Each takes as long as
 * the last one; before the first, a third of the time in which as many rows are trained on, since
 * an evaluation has no backward pass. */
static double seconds_left(const Report *r, int64_t step)
{
    const Settings *s = &r->trainer->plan.settings;
    const Corpus *corpus = &r->trainer->corpus;
    const int first = trainer_first_evaluation(r->trainer);
    if (r->timed < ENOUGH_STEPS)
        return 0;
    const int64_t evaluations =
        r->last / s->eval_every - step / s->eval_every +
        (r->last == s->steps && s->steps % s->eval_every && step < s->steps) +
        (step < first && first < s->eval_every);
    const double each = r->evaluation_seconds > 0
                            ? r->evaluation_seconds
                            : corpus_evaluation_rows(corpus, &corpus->evaluated) *
                                  r->recent_seconds / r->recent_rows / 3;
    return (double)(r->last - step) * r->recent_seconds / r->recent_steps +
           (double)evaluations * each;
}

/* As "3m20s", or "". */
static Digits time_left(const Report *r, int64_t step)
{
    if (r->timed < ENOUGH_STEPS)
        return (Digits){""};
    return duration(seconds_left(r, step));
}

/* time    about 2h10m; Ctrl-C stops at any time and loses nothing
 *         --steps 12000 takes about an hour
 *
 * Above the table, if it is known. */
static void put_time(const Report *r)
{
    const int64_t step = r->trainer->progress.step;
    const double seconds = seconds_left(r, step);
    if (seconds <= 0)
        return;
    screen_status(r->screen, "");
    screen_paragraph(r->screen, "time",
                     seconds < HOUR ? N_("about %s")
                                    : N_("about %s; Ctrl-C stops at any time and loses nothing"),
                     duration(seconds).text);
    if (r->trainer->plan.settings.patience)
        screen_paragraph(r->screen, "",
                         "or less: it stops after %d evaluations without a better one",
                         r->trainer->plan.settings.patience);
    if (seconds >= HOUR)
        screen_paragraph(r->screen, "", "a run with --steps %.0f takes about an hour",
                         floor((double)(r->last - step) * HOUR / seconds));
}

/* ---- The table ---- */

/* Prints a number, or as many blanks if it is NAN. */
static void put_number(int columns, int decimals, double number)
{
    if (isnan(number))
        printf("  %*s", columns, "");
    else
        printf("  %*.*f", columns, decimals, number);
}

/* Columns of a screen that has room for the whole table. */
enum { WIDE = 80 };

/* The second line says which text is evaluated. There are columns for its loss in bits per byte and
 * for its distance from the floor only if these are known:
 *
 *         ------ loss ------    bits above the                                time
 *   step  the step  all text   /byte     floor      rate     norm tokens/s   left
 *     15  0.889229  0.785989  0.2567  0.374009  3.42e-03    1.245  92,063   0.1s
 *
 * That is 79 columns; a screen that is narrower has no room for rate, norm and speed. */
static void put_header(const Report *r)
{
    const bool floor = trainer_has_floor(r->trainer), bits = !isnan(r->trainer->token_bytes),
               wide = screen_width() >= WIDE;
    /* translators: parts of the head of a table, up to the next blank line; keep their widths */
    printf("\n%s%s%s%s%*s%s\n", r->screen->bold, _("        ------ loss ------"),
           bits ? _("    bits") : "", floor ? _(" above the") : "", wide ? 28 : 0, "",
           _("   time"));
    printf("%s%s%s%s%s%s\n",
           trainer_holds_out(r->trainer) ? _("  step  the step  held-out")
                                         : _("  step  the step  all text"),
           bits ? _("   /byte") : "", floor ? _("     floor") : "",
           wide ? _("      rate     norm tokens/s") : "", _("   left"), r->screen->plain);
}

/* Below a row, cut to the width of a terminal. */
static void put_shown(const Report *r, char **shown)
{
    for (ptrdiff_t i = 0; i < arrlen(shown); i++) {
        AUTOFREE char *line = display_text(shown[i]);
        printf("        ");
        put_cut(stdout, line, r->screen->terminal ? max_int(screen_width() - 9, 20) : INT_MAX);
        printf("\n");
    }
    names_free(shown);
}

static void put_row(Report *r, const LogEntry *e, char **shown)
{
    const bool floor = trainer_has_floor(r->trainer);
    const int decimals = floor ? 6 : 4;
    r->printed = clock_seconds();
    printf("%6" PRId64, e->step);
    put_number(8, decimals, e->loss);
    put_number(8, decimals, e->evaluated);
    if (!isnan(r->trainer->token_bytes))
        put_number(6, 4, e->bits_per_byte);
    if (floor)
        put_number(8, decimals, e->gap);
    const Digits speed = thousands((size_t)e->tokens_per_second);
    if (e->step && screen_width() >= WIDE)
        printf("  %8.2e  %7.3f  %*s%s", e->rate, e->gradient_norm,
               max_int(7 - display_width(speed.text), 0), "", speed.text);
    const Digits left = time_left(r, e->step);
    if (e->step && *left.text)
        printf("  %5s", left.text);
    printf("\n");
    put_shown(r, shown);
}

/* The time, the header, and the row that waits for them. */
static void begin_table(Report *r)
{
    if (r->has_header)
        return;
    put_time(r);
    put_header(r);
    r->has_header = true;
    if (r->holds)
        put_row(r, &r->held, r->held_shown);
}

void report_row(Report *r, const LogEntry *e, char **shown)
{
    screen_status(r->screen, "");
    if (in_json(r->trainer)) {
        r->printed = clock_seconds();
        put_row_json(e, shown);
        return;
    }
    if (!r->has_header && !r->holds && r->timed < ENOUGH_STEPS) {
        r->holds = true;
        r->held = *e;
        r->held_shown = shown;
        return;
    }
    begin_table(r);
    put_row(r, e, shown);
}

void report_end(Report *r)
{
    screen_status(r->screen, "");
    if (r->holds)
        begin_table(r);
    if (r->has_header)
        printf("\n");
}

/* Every sum is multiplied by e^(−seconds / MEMORY) as the seconds pass, so that the quotient of two
 * sums is a mean over the last steps, weighted by how recent they are. */
void report_step_time(Report *r, double seconds, int64_t rows)
{
    if (++r->timed <= SKIPPED_STEPS)
        return;
    const double fade = exp(-seconds / MEMORY);
    r->recent_steps = r->recent_steps * fade + 1;
    r->recent_rows = r->recent_rows * fade + (double)rows;
    r->recent_seconds = r->recent_seconds * fade + seconds;
    if (r->timed >= ENOUGH_STEPS && r->recent_seconds > TIMED_SECONDS && !in_json(r->trainer))
        begin_table(r);
}

/* ---- The status line ---- */

/* step 59/1400  loss 5.7810  41,230 tokens/s  3m20s left */
void report_step(Report *r, const LogEntry *e)
{
    char line[256];
    const double every = in_json(r->trainer) ? JSON_EVERY : ROW_EVERY;
    if (!r->screen->terminal && clock_seconds() - r->printed > every)
        report_row(r, e, NULL);
    if (!screen_may_refresh(r->screen, &r->refreshed))
        return;
    const Digits left = time_left(r, e->step);
    snprintf(line, sizeof line,
             *left.text ? _("step %" PRId64 "/%d  loss %.4f  %s tokens/s  %s left")
                        : _("step %" PRId64 "/%d  loss %.4f  %s tokens/s"),
             e->step, r->trainer->plan.settings.steps, e->loss,
             thousands((size_t)e->tokens_per_second).text, left.text);
    screen_status(r->screen, line);
}

/* step 60/1400  evaluating 40%  3.0s left */
void report_evaluating(Report *r, double share)
{
    char line[256];
    if (share <= 0) /* an evaluation begins: a short one need not be shown */
        r->refreshed = r->evaluating = clock_seconds();
    if (!screen_may_refresh(r->screen, &r->refreshed))
        return;
    const double left = (clock_seconds() - r->evaluating) * (1 / share - 1);
    snprintf(line, sizeof line, _("step %" PRId64 "/%d  evaluating %.0f%%  %s left"),
             r->trainer->progress.step, r->trainer->plan.settings.steps, 100 * share,
             share > 0 ? duration(left).text : "");
    screen_status(r->screen, line);
}

/* ---- Before the first step ---- */

/* Whether this call names lines to hold out, or a sample to evaluate, where there is neither. */
static bool seed_has_no_effect(const Trainer *t)
{
    return DECIDED(&t->decided, val_seed) && !t->plan.settings.resume &&
           !t->corpus.evaluated.sample;
}

static Digits lines_of(const Corpus *corpus, size_t count)
{
    switch (corpus->objective.kind) {
    case OBJECTIVE_PAIRS: return plural(count, "pair", "pairs");
    case OBJECTIVE_TURNS: return plural(count, "conversation", "conversations");
    default: return plural(count, "line", "lines");
    }
}

/* text    data/perro.txt: 9 lines, 48 tokens to predict, vocabulary 15
 *
 * A stream has no lines: its tokens are counted. Below this, what is held out or cut, and the hint
 * of programs/train/plan/plan.h. */
static void announce_text(const Trainer *t, const Screen *screen)
{
    const Corpus *corpus = &t->corpus;
    const size_t held_out = corpus->held_out.targets,
                 all = corpus->train.targets + corpus->aside.targets + held_out;
    const Digits vocabulary = thousands((size_t)tokenizer_size(&t->tokenizer));
    const char *name = t->text_name;
    if (corpus->stream)
        screen_paragraph(screen, "text", "%s: a stream of %s, vocabulary %s", name,
                         plural(corpus->ids.count, tokenizer_unit(t->tokenizer.kind),
                                tokenizer_units(t->tokenizer.kind))
                             .text,
                         vocabulary.text);
    else
        screen_paragraph(screen, "text", "%s: %s, %s to predict, vocabulary %s", name,
                         lines_of(corpus, corpus->lines).text, plural(all, "token", "tokens").text,
                         vocabulary.text);
    if (t->wrapped_at)
        screen_paragraph(screen, "",
                         "the lines are wrapped at column %d, so it is read on across line ends "
                         "(--sequence lines: each by itself)",
                         t->wrapped_at);
    if (trainer_holds_out(t))
        screen_paragraph(screen, "", "%s of them are held out for validation, not trained on",
                         thousands(held_out).text);
    else if (t->plan.settings.val > 0)
        screen_paragraph(screen, "", "nothing is held out: %g of this text is too little",
                         t->plan.settings.val);
    else if (seed_has_no_effect(t))
        screen_paragraph(screen, "", "nothing is held out, so --val-seed changes nothing");
    if (corpus->aside.count)
        screen_paragraph(screen, "", "%s more are set aside to learn the share of counting",
                         thousands(corpus->aside.targets).text);
    if (corpus->evaluated.sample)
        screen_paragraph(screen, "", "evaluated during the run: a sample of %s",
                         plural(corpus->evaluated.targets, "token", "tokens").text);
    if (corpus->lines_cut)
        screen_paragraph(screen, "", "cut because they are longer than the context: %s",
                         lines_of(corpus, corpus->lines_cut).text);
    if (t->advice)
        screen_paragraph(screen, "hint", "%s", t->advice);
}

/* losses  2.708050 by a uniform guess, 2.479451 from the word frequencies
 *         floor 0.411980: the lowest that this text allows
 *
 * Losses to compare with: of a uniform guess, ln V; of the frequency of each token; of counting
 * what comes after a few tokens, on the part held out; and of the frequency of each token after
 * each prefix (the floor). */
static void announce_losses(const Trainer *t, const Screen *screen)
{
    screen_paragraph(screen, "losses",
                     trainer_holds_out(t)
                         ? N_("%.6f by a uniform guess, %.6f from the %s frequencies of the part "
                              "trained on")
                         : N_("%.6f by a uniform guess, %.6f from the %s frequencies"),
                     elementary_log(tokenizer_size(&t->tokenizer)),
                     floor_unigram(&t->corpus, tokenizer_size(&t->tokenizer)),
                     translated(tokenizer_unit(t->tokenizer.kind)));
    const char *counting = N_("counting reaches %.6f on the held-out part (Kneser-Ney, order %d)");
    if (t->counting.some)
        counting = N_("counting in the last million tokens reaches %.6f on what is evaluated "
                      "(Kneser-Ney, order %d)");
    else if (t->corpus.evaluated.sample)
        counting = N_("counting reaches %.6f on that sample (Kneser-Ney, order %d)");
    if (!isnan(t->counting.loss))
        screen_paragraph(screen, "", counting, t->counting.loss, t->counting.order);
    if (isnan(t->floor) && !t->corpus.stream)
        screen_paragraph(screen, "", "the floor is not counted: the text is large");
    if (isnan(t->floor))
        return;
    const Digits seen = plural((size_t)t->floor_sees, "token", "tokens");
    const char *format = N_("floor %.6f: the lowest that this text allows");
    if (t->floor_sees)
        format = N_("floor %.6f: the lowest that this text allows (seeing %s)");
    if (trainer_holds_out(t))
        format = t->floor_sees
                     ? N_("floor %.6f on the part trained on; the held-out part has none "
                          "(seeing %s)")
                     : N_("floor %.6f on the part trained on; the held-out part has none");
    screen_paragraph(screen, "", format, t->floor, seen.text);
}

/* sinusoidal positions, pre-norm, relu; a flag that is on, such as RMSNorm */
static char *choices_of(const GptConfig *shape)
{
    char *all = NULL;
    const GptConfig off = {.rms = false};
    if (shape->key_heads != shape->heads)
        all = format_text(_("%s of keys"), plural((size_t)shape->key_heads, "head", "heads").text);
    EACH_GPT_FIELD (f) {
        AUTOFREE char *value = field_text(&f->field, shape);
        if (!f->shown || (f->field.kind == FIELD_FLAG && field_equal(&f->field, shape, &off)))
            continue;
        AUTOFREE char *shown = format_text(translated(f->shown), translated(value));
        extend_text(&all, "%s%s", all ? ", " : "", shown);
    }
    return all;
}

/* model   2 layers, 4 heads of 16, width 64, hidden 256, context 8; sinusoidal
 *         positions, pre-norm, relu, tied head
 *         101,056 parameters, 2.6 MB of memory, 1 thread, kernel avx512 */
static void announce_model(const Trainer *t, const Screen *screen)
{
    const Settings *s = &t->plan.settings;
    const GptConfig *shape = &t->plan.shape;
    AUTOFREE char *choices = choices_of(shape);
    screen_paragraph(
        screen, "model", "%s, %s of %d, width %d, hidden %d, context %d; %s, %s head%s%s",
        plural((size_t)shape->layers, "layer", "layers").text,
        plural((size_t)shape->heads, "head", "heads").text, shape->head_size, shape->width,
        shape->hidden, shape->context, choices, shape->untied ? _("untied") : _("tied"),
        s->attend ? _(", attends to ") : "", s->attend ? s->attend : "");
    screen_paragraph(screen, "", "%s, %.1f MB of memory, %s, kernel %s",
                     plural(t->plan.parameters, "parameter", "parameters").text,
                     t->plan.bytes / 1e6, plural((size_t)s->threads, "thread", "threads").text,
                     matrix_kernel_name());
    if (matrix_is_slow())
        screen_paragraph(screen, "",
                         "slow: the kernel %s has no fused multiply-add here and computes it "
                         "in software, to the same bits",
                         matrix_kernel_name());
}

/* steps   300, each of all 9 sequences (300 epochs); dropout 0, seed 1 */
static void announce_steps(const Trainer *t, const Screen *screen)
{
    const Settings *s = &t->plan.settings;
    /* each part has at least one sequence */
    const int most = min_int(s->accumulate, 1 + (s->batch - 1) / s->shards);
    char shards[64] = "", parts[64] = "";
    Digits epochs = plural((size_t)s->epochs, "epoch", "epochs");
    if (t->plan.passes < 1)
        snprintf(epochs.text, sizeof epochs.text, _("%.2g epochs"), t->plan.passes);
    if (s->shards > 1)
        snprintf(shards, sizeof shards, _(", in %d shards"), s->shards);
    if (most > 1)
        snprintf(parts, sizeof parts, s->shards > 1 ? _(" of %d parts") : _(", in %d parts"), most);
    screen_paragraph(
        screen, "steps", "%s, each of %s%s%s%s (%s); dropout %g, seed %d%s",
        thousands((size_t)s->steps).text, t->plan.whole_in_a_step && s->batch > 1 ? _("all ") : "",
        plural((size_t)s->batch, "sequence", "sequences").text, shards, parts, epochs.text,
        s->dropout, s->seed, s->optimizer == OPTIMIZER_MUON ? _(", optimizer Muon") : "");
    if (t->plan.shortened)
        screen_paragraph(screen, "",
                         "two cores take about an hour for them; --epochs 2 reads all of the text "
                         "twice");
}

/* rate    noam, factor 0.3: rises for 30 steps, then falls, to 0 in the last 20%
 *
 * See model/optimizer.h. */
static void announce_rate(const Trainer *t, const Screen *screen)
{
    const Settings *s = &t->plan.settings;
    const Digits warmup = plural((size_t)s->warmup, "step", "steps");
    char end[64] = "";
    if (s->cooldown > 0)
        snprintf(end, sizeof end, _(", to 0 in the last %g%%"), 100 * s->cooldown);
    if (s->schedule == SCHEDULE_NOAM)
        screen_paragraph(screen, "rate",
                         s->warmup ? N_("noam, factor %g: rises for %s, then falls%s")
                                   : N_("noam, factor %g: falls%s%s"),
                         s->lr_factor, s->warmup ? warmup.text : "", end);
    else if (s->schedule == SCHEDULE_COSINE)
        screen_paragraph(screen, "rate", "cosine: rises to %g in %s, then falls to %g", s->lr,
                         warmup.text, s->min_lr);
    else
        screen_paragraph(screen, "rate", "constant: rises to %g in %s%s", s->lr, warmup.text, end);
    if (t->plan.gentle)
        screen_paragraph(screen, "", "a tenth of a new run's rate: this model is already trained");
    if (s->warmup > s->steps && s->steps > 0 && !t->plan.gentle)
        screen_paragraph(screen, "",
                         "the warm-up is longer than the run: the rate never reaches "
                         "its peak");
}

/* run     runs/perro */
static void announce_run(const Trainer *t, const Screen *screen)
{
    const char *run = t->directory.path, *from = t->plan.settings.from;
    if (t->progress.step)
        screen_paragraph(screen, "run", "%s, continues after step %" PRId64, run, t->progress.step);
    else if (from)
        screen_paragraph(screen, "run", "%s, starts from the model in %s", run, from);
    else
        screen_paragraph(screen, "run", "%s", run);
}

void announce(const Trainer *t, const Screen *screen)
{
    if (in_json(t)) {
        announce_json(t);
        return;
    }
    announce_text(t, screen);
    announce_losses(t, screen);
    announce_model(t, screen);
    announce_steps(t, screen);
    announce_rate(t, screen);
    announce_run(t, screen);
}

/* ---- After the last step ---- */

/* LITTLE: a loss this close to the lowest possible one leaves nothing to learn. STILL_FALLING: a
 * held-out loss still falls if the best one came after this part of the run, and is not two
 * evaluations old. BY_HEART: epochs after which a model knows its text by heart, if nothing is held
 * out. */
static const double LITTLE = 0.01, STILL_FALLING = 0.75, BY_HEART = 5;

/* stopped by Ctrl-C after step 12 of 300
 *
 * Why training stopped; nothing if it took the last step. */
static void conclude_stop(const Trainer *t, const Screen *screen, const Ending *ending)
{
    const int64_t step = t->progress.step;
    const int steps = t->plan.settings.steps;
    if (ending->signal)
        screen_paragraph(screen, "stopped",
                         ending->in_evaluation ? N_("by %s in the evaluation after step %" PRId64
                                                    " of %d, which the resumed run does again")
                                               : N_("by %s after step %" PRId64 " of %d"),
                         ending->signal, step, steps);
    else if (step < steps && ending->out_of_patience)
        screen_paragraph(screen, "stopped", "after step %" PRId64 " of %d: no better for %s", step,
                         steps,
                         plural((size_t)t->progress.worse, "evaluation", "evaluations").text);
    else if (step < steps)
        screen_paragraph(screen, "stopped", "after step %" PRId64 " of %d, as --stop-after says",
                         step, steps);
    else if (steps && !ending->steps)
        screen_paragraph(screen, "done", "nothing was left to do: all %d steps had been taken",
                         steps);
}

Digits bits_shown(double bits)
{
    Digits shown = {""};
    if (!isnan(bits))
        snprintf(shown.text, sizeof shown.text, _(", %.4f bits per byte"), bits);
    return shown;
}

/* "1.537211 over all 10,038,544 held-out tokens, 2.2177 bits per byte" */
char *whole_text(const Trainer *t)
{
    const Whole *whole = &t->whole;
    const bool holds_out = trainer_holds_out(t);
    const size_t all = holds_out ? t->corpus.held_out.targets : t->corpus.train.targets;
    const Digits bits = bits_shown(whole->bits);
    if (whole->targets < all)
        return format_text(holds_out ? _("%.6f over %s of %s held-out tokens%s")
                                     : _("%.6f over %s of %s tokens%s"),
                           whole->loss, thousands(whole->targets).text, thousands(all).text,
                           bits.text);
    return format_text(holds_out ? _("%.6f over all %s held-out tokens%s")
                                 : _("%.6f over all %s tokens%s"),
                       whole->loss, thousands(all).text, bits.text);
}

/* best    step 434: 2.775377 over the held-out text
 *         0.389018 below what counting reaches
 *         2.731579 with counting, whose share is 0.25
 *
 * The same text is predicted by the model, by counting and by both. */
static void conclude_counting(const Trainer *t, const Screen *screen)
{
    const double above = t->progress.best_loss - t->counting.loss;
    screen_paragraph(screen, "",
                     above < 0 ? N_("%.6f below what counting reaches")
                               : N_("%.6f above what counting reaches: counting predicts this text "
                                    "better"),
                     fabs(above));
    if (!isnan(t->counting.mixed))
        screen_paragraph(screen, "", "%.6f with counting, whose share is %.2f", t->counting.mixed,
                         t->counting.share);
    else if (t->plan.settings.counts)
        screen_paragraph(screen, "", "the share of counting is learnt when the run is resumed");
}

/* best    step 300: 0.412301, 0.000322 above the floor, 0.1347 bits per byte
 *
 * The floor counts the text that is trained on, so it is no measure for a held-out part. */
static void conclude_best(const Trainer *t, const Screen *screen)
{
    const Progress *p = &t->progress;
    const bool holds_out = trainer_holds_out(t);
    const Digits bits = bits_shown(bits_per_byte(p->best_loss, t->token_bytes));
    if (isinf(p->best_loss))
        screen_paragraph(screen, "best", "none yet (first evaluation at step %d)",
                         trainer_first_evaluation(t));
    else if (trainer_has_floor(t))
        screen_paragraph(screen, "best", "step %" PRId64 ": %.6f, %.6f above the floor%s",
                         p->best_step, p->best_loss, p->best_loss - t->floor, bits.text);
    else
        screen_paragraph(
            screen, "best",
            t->corpus.evaluated.sample
                ? holds_out ? N_("step %" PRId64 ": %.6f over the sample of the held-out text%s")
                            : N_("step %" PRId64 ": %.6f over the sample of the whole text%s")
            : holds_out ? N_("step %" PRId64 ": %.6f over the held-out text%s")
                        : N_("step %" PRId64 ": %.6f over the whole text%s"),
            p->best_step, p->best_loss, bits.text);
    if (holds_out && p->step && !isinf(p->best_loss) &&
        p->best_loss > elementary_log(tokenizer_size(&t->tokenizer)))
        screen_paragraph(screen, "",
                         "worse than a uniform guess: what is held out is unlike the "
                         "text that is trained on");
    if (!isnan(t->counting.loss) && !isinf(p->best_loss) && p->step)
        conclude_counting(t, screen);
    if (!isnan(t->whole.loss)) {
        AUTOFREE char *whole = whole_text(t);
        screen_paragraph(screen, "", "%s", whole);
    }
}

/* The program beside the one that was called: its name with this one in place of its last five
 * letters (train, pulga-train). The caller frees it. */
static char *program_beside(const Ending *ending, const char *name)
{
    const int letters = max_int((int)strlen(ending->program) - (int)strlen("train"), 0);
    return format_text("%.*s%s", letters, ending->program, name);
}

/* A run's path as an argument, which must not look like an option. The caller frees it. */
static char *run_argument(const Trainer *t)
{
    const char *run = t->directory.path;
    return format_text("%s%s", *run == '-' ? "./" : "", run);
}

/* The beginning of the training text, at most to the end of a line or of a pair's source. The
 * caller frees it. */
static char *some_text(const Trainer *t)
{
    enum { MOST_TOKENS = 12 };
    int ids[MOST_TOKENS];
    int count = (int)min_int64(MOST_TOKENS, (int64_t)t->corpus.ids.count);
    ids_read(&t->corpus.ids, 0, (size_t)count, ids);
    for (int i = 0; i < count; i++)
        if (ids[i] == t->tokenizer.eos)
            count = i;
    AUTOFREE char *text = tokenizer_decode(&t->tokenizer, ids, count);
    const char *first = text + strspn(text, " \t\n");
    return format_text("%.*s", (int)strcspn(first, "\t\n"), first);
}

/* Why a finished run need not be longer, translated; NULL if its loss was still falling. The caller
 * frees it. */
static char *why_no_longer(const Trainer *t)
{
    const Settings *s = &t->plan.settings;
    const Progress *p = &t->progress;
    const bool floor = trainer_has_floor(t), holds_out = trainer_holds_out(t);
    if (p->best_loss - (floor ? t->floor : 0) < LITTLE)
        return format_text(_("nothing is left to learn; look inside:"));
    if (holds_out && (p->step - p->best_step >= 2 * (int64_t)s->eval_every ||
                      (double)p->best_step < STILL_FALLING * s->steps))
        return format_text(_("no better since step %" PRId64
                             ": more steps will not help, more text would; look inside:"),
                           p->best_step);
    if (!holds_out && !floor && t->plan.passes >= BY_HEART)
        return format_text(_("with more steps it would only learn this small text by heart; look "
                             "inside:"));
    return NULL;
}

/* next    train it longer:
 *         ./train --resume runs/perro --steps 600
 *
 * or      nothing is left to learn; look inside:
 *         ./attend runs/perro 'el perro come un hueso' -o runs/perro/attention.html
 *
 * How to train on: a finished run is made twice as long; one that ran out of patience, although
 * nothing is held out, gets --patience 0, since it would stop again at once. */
static void conclude_next(const Trainer *t, const Screen *screen, const Ending *ending)
{
    const Settings *s = &t->plan.settings;
    const bool finished = t->progress.step == s->steps;
    AUTOFREE char *enough =
        (finished || ending->out_of_patience) && ending->saved ? why_no_longer(t) : NULL;
    if (enough) {
        AUTOFREE char *program = program_beside(ending, "attend"), *run = run_argument(t);
        AUTOFREE char *text = some_text(t), *page = format_text("%s/attention.html", run);
        screen_command(screen, "next", enough, (char *[]){program, run, text, "-o", page, NULL});
        return;
    }
    const char *why = N_("go on from here:");
    char steps[16];
    char *words[6] = {(char *)ending->program, "--resume", t->directory.path}; /* and NULL */
    int count = 3;
    if (finished) {
        why = N_("train it longer:");
        /* After --steps 0, as many as a small text takes. */
        const int longer = s->steps ? 2 * min_int(s->steps, INT_MAX / 2) : 300;
        snprintf(steps, sizeof steps, "%d", longer);
        words[count++] = "--steps";
        words[count] = steps;
    } else if (ending->out_of_patience) {
        why = N_("go on all the same:");
        words[count++] = "--patience";
        words[count] = "0";
    }
    screen_command(screen, "next", why, words);
}

/* If the last step is not saved, the reason has been printed, and only the command follows. */
void conclude(const Trainer *t, const Screen *screen, const Ending *ending)
{
    const Settings *s = &t->plan.settings;
    if (in_json(t)) {
        conclude_json(t, ending);
        return;
    }
    if (ending->saved) {
        conclude_stop(t, screen, ending);
        conclude_best(t, screen);
        /* Two people compare the checksum of their best weights, those in model.safetensors. */
        screen_paragraph(screen, "model", "%s, the checksum of the best weights",
                         checksum_hex(weights_checksum(&t->gpt, t->best)).text);
        if (ending->steps)
            screen_paragraph(screen, "took", "%s, %s tokens/s", duration(ending->seconds).text,
                             rate_per_second((double)ending->tokens, ending->seconds).text);
        /* The text was edited and trained on again: under its name is still the old model. */
        AUTOFREE char *usual = s->out || s->resume ? NULL : run_name(t->texts[0]);
        if (usual && strcmp(usual, t->directory.path))
            screen_paragraph(screen, "note", "%s holds an earlier run; this one is %s", usual,
                             t->directory.path);
        if (ending->program && (t->progress.step == s->steps || ending->out_of_patience)) {
            AUTOFREE char *program = program_beside(ending, "sample"), *run = run_argument(t);
            screen_command(screen, "try", "what it writes:", (char *[]){program, run, NULL});
        }
    }
    if (ending->program)
        conclude_next(t, screen, ending);
}
