/* pace.c: see pace.h. */
#include "pace.h"

#include <math.h>

enum {
    TRIES = 2,           /* steps with each number of threads in a trial */
    SHORTEST_PAUSE = 16, /* steps after a trial that changed something */
    LONGEST_PAUSE = 1024,
    TOO_SLOW = 3,        /* times the promised time, for so many steps: ask at once */
};

static void start_trial(Pace *pace)
{
    pace->kept = pace->threads;
    pace->probing = 2 * TRIES;
    pace->best[0] = pace->best[1] = INFINITY;
    pace->threads = 1;
}

Pace pace_new(int most, bool fixed)
{
    Pace pace = {.most = most, .threads = most, .pause = SHORTEST_PAUSE / 2};
    if (!fixed && most > 1)
        start_trial(&pace);
    else
        pace.until = -1;
    return pace;
}

void pace_begin(const Pace *pace)
{
    thread_set_limit(pace->threads);
}

static void end_trial(Pace *pace)
{
    pace->threads = pace->best[0] <= pace->best[1] ? 1 : pace->most;
    const bool changed = pace->threads != pace->kept;
    pace->pause = changed ? SHORTEST_PAUSE
                : 2 * pace->pause < LONGEST_PAUSE ? 2 * pace->pause : LONGEST_PAUSE;
    pace->until = pace->pause;
    pace->slow = 0;
}

void pace_end(Pace *pace, double seconds)
{
    if (pace->until < 0)
        return;
    if (pace->probing) {
        double *best = &pace->best[pace->threads != 1];
        *best = fmin(*best, seconds);
        pace->probing--;
        if (pace->probing == TRIES)
            pace->threads = pace->most;
        else if (!pace->probing)
            end_trial(pace);
        return;
    }
    pace->slow = seconds > TOO_SLOW * pace->best[pace->threads != 1] ? pace->slow + 1 : 0;
    if (--pace->until == 0 || pace->slow == TOO_SLOW)
        start_trial(pace);
}
