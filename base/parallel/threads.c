/* threads.c: the only file that calls OpenMP's functions; without OpenMP there is one thread. A
 * trial takes some steps with one thread and some with all, notes the best time of each way, and
 * goes on with the faster. Times are per token, since the last step of an epoch is smaller. */
#include "threads.h"
#include "base/base.h"

#include <math.h>
#include <signal.h>
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_max_threads() 1
#define omp_set_num_threads(threads) (void)(threads)
#define omp_get_num_threads() 1
#define omp_get_thread_num() 0
#endif

int thread_limit(void)
{
    return omp_get_max_threads();
}

void thread_set_limit(int threads)
{
    omp_set_num_threads(threads);
}

int thread_count(void)
{
    return omp_get_num_threads();
}

int thread_index(void)
{
    return omp_get_thread_num();
}

void thread_start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* a new thread inherits its creator's mask */
    OMP(parallel)
    thread_index();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- Trials ---- */

enum {
    TRIES = 2,           /* steps with each number of threads in a trial          */
    SHORTEST_PAUSE = 16, /* steps after a trial that changed something            */
    LONGEST_PAUSE = 1024,
    TOO_SLOW = 3, /* 3 steps in a row took 3 times as long as in the last trial: try again */
};

/* Two steps with one thread come first, then two with all. The first of each two may be slow for
 * other reasons (memory touched for the first time): the better one counts. */
static void start_trial(ThreadTrial *trial)
{
    trial->before = trial->threads;
    trial->probing = 2 * TRIES;
    trial->best[0] = trial->best[1] = INFINITY;
    trial->threads = 1;
}

ThreadTrial thread_trial_new(int limit, bool fixed)
{
    ThreadTrial trial = {.limit = limit, .threads = limit, .pause = SHORTEST_PAUSE / 2};
    if (!fixed && limit > 1)
        start_trial(&trial);
    else
        trial.until = -1;
    return trial;
}

void thread_trial_begin(const ThreadTrial *trial)
{
    thread_set_limit(trial->threads);
}

/* A trial that changed nothing doubles the pause before the next one. */
static void end_trial(ThreadTrial *trial)
{
    trial->threads = trial->best[0] <= trial->best[1] ? 1 : trial->limit;
    if (trial->threads != trial->before)
        trial->pause = SHORTEST_PAUSE;
    else
        trial->pause = min_int(2 * trial->pause, LONGEST_PAUSE);
    trial->until = trial->pause;
    trial->slow = 0;
}

void thread_trial_end(ThreadTrial *trial, double seconds)
{
    if (trial->until < 0)
        return;
    double *best = &trial->best[trial->threads != 1]; /* of the way that this step took */
    if (trial->probing) {
        *best = fmin(*best, seconds);
        trial->probing--;
        if (trial->probing == TRIES)
            trial->threads = trial->limit;
        else if (!trial->probing)
            end_trial(trial);
        return;
    }
    /* Between trials: a new one is due after the pause, or after some steps that were too slow. */
    trial->slow = seconds > TOO_SLOW * *best ? trial->slow + 1 : 0;
    if (--trial->until == 0 || trial->slow == TOO_SLOW)
        start_trial(trial);
}
