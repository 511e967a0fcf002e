/* report.c: the table's header names, in two lines, what each column holds. The time left is the
 * number of steps and evaluations still to come, each times what the last ones took. */
#include "report.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/utf8.h"

/* No estimate is printed before some steps have been timed. The first one is not timed: it also
 * touches the memory and wakes the threads for the first time. */
enum { SKIPPED_STEPS = 1, TIMED_STEPS = 2 };

/* In seconds: how long steps are timed before the table begins, unless a row comes earlier; and how
 * old the last row may be where there is no status line. */
static const double TIMED_SECONDS = 0.3, ROW_EVERY = 60, HOUR = 3600;

/* In seconds. A step this old counts 1/e in the means, one three times as old hardly at all. */
static const double MEMORY = 10;

Report report_new(const Trainer *trainer, const Screen *screen, int64_t last)
{
    return (Report){.trainer = trainer,
                    .screen = screen,
                    .last = last,
                    .timed = -SKIPPED_STEPS,
                    .printed = clock_seconds()};
}

/* ---- The time that is left ---- */

/* The time of an evaluation: that of the last one; before the first, a third of the time in which
 * as many rows are trained on, since an evaluation has no backward pass. */
static double evaluation_time(const Report *r)
{
    const Corpus *corpus = &r->trainer->corpus;
    return r->evaluation_seconds > 0 ? r->evaluation_seconds
                                     : corpus_evaluation_rows(corpus, &corpus->evaluated) *
                                           r->recent_seconds / r->recent_rows / 3;
}

/* Seconds until this call ends; 0 if too few steps have been timed. Evaluations come every
 * eval_every steps and after the run's last one, if that is not one of them. */
static double seconds_left(const Report *r, int64_t step)
{
    const Settings *s = &r->trainer->plan.settings;
    if (r->timed < TIMED_STEPS)
        return 0;
    const int64_t evaluations =
        r->last / s->eval_every - step / s->eval_every +
        (r->last == s->steps && s->steps % s->eval_every && step < s->steps);
    return (double)(r->last - step) * r->recent_seconds / r->recent_steps +
           (double)evaluations * evaluation_time(r);
}

/* As "3m20s", or "". */
static Digits time_left(const Report *r, int64_t step)
{
    if (r->timed < TIMED_STEPS)
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
    if (seconds < HOUR) {
        screen_paragraph(r->screen, "time", "about %s", duration(seconds).text);
        return;
    }
    screen_paragraph(r->screen, "time", "about %s; Ctrl-C stops at any time and loses nothing",
                     duration(seconds).text);
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

/* Whether a loss means something in bits per byte. */
static bool has_bits(const Report *r)
{
    return !isnan(r->trainer->token_bytes);
}

static bool is_wide(void)
{
    return screen_width() >= 80;
}

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
    const bool floor = trainer_has_floor(r->trainer), bits = has_bits(r), wide = is_wide();
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
        char *line = display_text(shown[i]);
        printf("        ");
        put_cut(stdout, line, r->screen->terminal ? max_int(screen_width() - 9, 20) : INT_MAX);
        printf("\n");
        free(line);
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
    if (has_bits(r))
        put_number(6, 4, e->bits_per_byte);
    if (floor)
        put_number(8, decimals, e->gap);
    const Digits speed = thousands((size_t)e->tokens_per_second);
    if (e->step && is_wide())
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
    if (!r->has_header && !r->holds && r->timed < TIMED_STEPS) {
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
    if (++r->timed <= 0)
        return;
    const double fade = exp(-seconds / MEMORY);
    r->recent_steps = r->recent_steps * fade + 1;
    r->recent_rows = r->recent_rows * fade + (double)rows;
    r->recent_seconds = r->recent_seconds * fade + seconds;
    if (r->timed >= TIMED_STEPS && r->recent_seconds > TIMED_SECONDS)
        begin_table(r);
}

/* ---- The status line ---- */

/* step 59/1400  loss 5.7810  41,230 tokens/s  3m20s left */
void report_step(Report *r, const LogEntry *e)
{
    char line[256];
    if (!r->screen->terminal && clock_seconds() - r->printed > ROW_EVERY)
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
