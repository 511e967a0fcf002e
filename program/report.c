/* report.c: the table's header names, in two lines, what each column holds. The time left is the
 * number of steps and evaluations still to come, each times what the last ones took. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    SKIPPED_STEPS = 1, /* the first step also brings memory and threads up */
    TIMED_STEPS = 3,   /* no estimate is printed before */
};
static const double MEMORY = 10; /* seconds: what is older hardly counts in the mean */

Report report_new(const Trainer *trainer, const Screen *screen, int64_t last)
{
    return (Report){.trainer = trainer, .screen = screen, .last = last, .timed = -SKIPPED_STEPS};
}

/* ---- The time that is left ---- */

void report_step_time(Report *r, double seconds, int64_t targets)
{
    if (++r->timed <= 0)
        return;
    const double fade = exp(-seconds / MEMORY);
    r->recent_steps = r->recent_steps * fade + 1;
    r->recent_targets = r->recent_targets * fade + (double)targets;
    r->recent_seconds = r->recent_seconds * fade + seconds;
}

/* The time of an evaluation: that of the last one; before it, a third of the time in which as many
 * targets are trained on, since an evaluation has no backward pass. */
static double evaluation_time(const Report *r)
{
    const Corpus *corpus = &r->trainer->corpus;
    const size_t targets =
        trainer_holds_out(r->trainer) ? corpus->held_out_targets : corpus->train_targets;
    return r->evaluation_seconds > 0 ? r->evaluation_seconds
                                     : (double)targets * r->recent_seconds / r->recent_targets / 3;
}

/* Until this call ends, as "3m20s"; "" if too few steps have been timed. */
static Digits time_left(const Report *r, int64_t step)
{
    const Settings *s = &r->trainer->plan.settings;
    if (r->timed < TIMED_STEPS)
        return (Digits){""};
    const int64_t evaluations =
        r->last / s->eval_every - step / s->eval_every +
        (r->last == s->steps && s->steps % s->eval_every && step < s->steps);
    return duration((double)(r->last - step) * r->recent_seconds / r->recent_steps +
                    (double)evaluations * evaluation_time(r));
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

static void put_header(const Report *r)
{
    const bool floor = !isnan(r->trainer->floor) && !trainer_holds_out(r->trainer);
    printf("\n%s         ------ loss ------%s  learning  gradient               time\n",
           r->screen->bold, floor ? "   above the" : "");
    printf("   step  the step  %8s%s      rate      norm   tokens/s    left%s\n",
           trainer_holds_out(r->trainer) ? "held-out" : "all text", floor ? "       floor" : "",
           r->screen->plain);
}

void report_row(Report *r, const LogEntry *e)
{
    const bool floor = !isnan(r->trainer->floor) && !trainer_holds_out(r->trainer);
    const int decimals = floor ? 6 : 4;
    screen_status(r->screen, "");
    if (!r->has_header)
        put_header(r);
    r->has_header = true;
    printf("%7" PRId64, e->step);
    put_number(8, decimals, e->loss);
    put_number(8, decimals, e->evaluated);
    if (floor)
        put_number(10, decimals, e->gap);
    if (e->step)
        printf("  %8.2e  %8.3f  %9s", e->rate, e->gradient_norm,
               thousands((size_t)e->tokens_per_second).text);
    const Digits left = time_left(r, e->step);
    if (*left.text)
        printf("  %6s", left.text);
    printf("\n");
}

/* ---- The status line ---- */

void report_step(Report *r, const LogEntry *e)
{
    char line[256];
    if (!screen_may_refresh(r->screen, &r->refreshed))
        return;
    const Digits left = time_left(r, e->step);
    snprintf(line, sizeof line, "step %" PRId64 "/%d  loss %.4f  %s tokens/s%s%s%s", e->step,
             r->trainer->plan.settings.steps, e->loss, thousands((size_t)e->tokens_per_second).text,
             *left.text ? "  " : "", left.text, *left.text ? " left" : "");
    screen_status(r->screen, line);
}

void report_evaluating(Report *r, double share)
{
    char line[256];
    if (share <= 0) /* a short one need not be shown */
        r->refreshed = clock_seconds();
    if (!screen_may_refresh(r->screen, &r->refreshed))
        return;
    snprintf(line, sizeof line, "step %" PRId64 "/%d  evaluating %.0f%%", r->trainer->progress.step,
             r->trainer->plan.settings.steps, 100 * share);
    screen_status(r->screen, line);
}
