/* schedule.c: the rate of the schedule itself, and then the cool-down that some of them end
 * with. */
#include "schedule.h"

#include <math.h>

#include "base/numbers/elementary.h"

static double rate_before_cooldown(const Schedule *s, double t)
{
    const double warmup = (double)s->warmup;
    switch (s->kind) {
    case SCHEDULE_NOAM: {
        /* Without a warm-up only the falling branch remains. */
        const double rising = warmup > 0 ? t / (warmup * sqrt(warmup)) : INFINITY;
        return s->factor / sqrt(s->width) * fmin(1 / sqrt(t), rising);
    }
    case SCHEDULE_COSINE: {
        if (t < warmup)
            return s->rate * t / warmup;
        const double span = (double)s->horizon - warmup;
        const double done = span > 0 ? fmin((t - warmup) / span, 1) : 1;
        return s->min_rate + (s->rate - s->min_rate) * (1 + elementary_cos(M_PI * done)) / 2;
    }
    case SCHEDULE_CONSTANT: return t < warmup ? s->rate * t / warmup : s->rate;
    }
    return 0;
}

double schedule_rate(const Schedule *s, int64_t t)
{
    const double rate = rate_before_cooldown(s, (double)t);
    const double length = s->kind == SCHEDULE_COSINE ? 0 : floor(s->cooldown * (double)s->horizon);
    /* The last step still learns: its rate is 1/length of the schedule's. 0 would be reached one
     * step after it. */
    const double left = (double)(s->horizon - t + 1);
    return length > 0 && left <= length ? rate * fmax(left, 0) / length : rate;
}
