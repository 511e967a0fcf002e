/* threads.h: OpenMP, and how many threads a step is worth.
 *
 * A step may be too small for threads to help, or another program may need the processors: then
 * threads wait for each other at the end of every loop, and all of them are slower than one. So now
 * and then a trial takes two steps with one thread and two with all, and the faster way is kept.
 * The number of threads changes only the time of a step, not one bit of its results. */
#ifndef PULGA_THREADS_H
#define PULGA_THREADS_H

#include <stdbool.h>

/* An OpenMP directive for the loop or block below it: OMP(parallel for). */
#define OMP_TEXT(...) #__VA_ARGS__
#define OMP(...) _Pragma(OMP_TEXT(omp __VA_ARGS__))

/* The number of threads a parallel region may have; of the region the caller is in, how many it has
 * and which of them the caller is. */
int thread_limit(void);
void thread_set_limit(int threads);
int thread_count(void);
int thread_index(void);

/* Starts the threads of parallel regions, with all signals blocked: so a signal always comes to the
 * calling thread, which can block it (see file_begin). */
void thread_start(void);

/* Whether a loop over an (N, C) matrix is worth waking the other threads. Up to 4,096 numbers, one
 * thread finishes before the others have started. */
static inline bool worth_threads(int N, int C)
{
    return (double)N * C > 1 << 12;
}

/* The trials of a run. After one that changed the number of threads: 16 steps, a trial, 32 steps, a
 * trial, 64 steps, and so on up to 1024, as long as the same way stays the faster one. */
typedef struct {
    int limit;        /* threads at most                                                         */
    int threads;      /* for the next step: 1 or limit                                           */
    int before;       /* the same before the trial that is running                               */
    int probing;      /* steps left of that trial; 0: none is running                            */
    double best[2];   /* least seconds per token in the last trial: with one thread, with all    */
    int until, pause; /* steps until the next trial, and the pause before it; until -1: no trial */
    int slow;         /* steps in a row that were much slower than the trial promised            */
} ThreadTrial;

/* Begins with a trial. With a `fixed` number of threads, or a limit of 1, there are none. */
ThreadTrial thread_trial_new(int limit, bool fixed);

/* To be called before and after each step: sets the number of threads; notes the step's time. */
void thread_trial_begin(const ThreadTrial *trial);
void thread_trial_end(ThreadTrial *trial, double seconds_per_token);

#endif
