/* threads.h: OpenMP, and how many threads a step is worth.
 *
 * Threads wait for each other at the end of every loop. In a step that is small they wait longer
 * than they compute, and much longer if other programs keep the processors busy: it gets one
 * thread. The number of threads changes only the time of a step, not one bit of its results. */
#ifndef PULGA_THREADS_H
#define PULGA_THREADS_H

#include "base/base.h"

/* An OpenMP directive for the loop or block below it: OMP(parallel for). */
#define OMP_TEXT(...) #__VA_ARGS__
#define OMP(...) _Pragma(OMP_TEXT(omp __VA_ARGS__))

/* The number of threads a parallel region may have; of the region the caller is in, how many it has
 * and which of them the caller is. */
int thread_limit(void);
void thread_set_limit(int threads);
int thread_count(void);
int thread_index(void);

/* How many threads are worth their cost, within the limit, in a step that takes `rows` rows
 * through `parameters` parameters. */
int threads_for_step(int64_t rows, size_t parameters);

/* Starts the threads of parallel regions, with all signals blocked: so a signal always comes to the
 * calling thread, which can block it (see file_begin). */
void thread_start(void);

/* The next number that no thread of a region has taken yet, of 0, 1, 2, … One thread does not enter
 * OpenMP for it, as in a loop with schedule(dynamic). */
static inline int take_next(int *taken)
{
    return __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED);
}

/* Whether a loop over an (N, C) matrix is worth waking the other threads. Up to 4,096 numbers, one
 * thread finishes before the others have started. */
static inline bool worth_threads(int N, int C)
{
    return (double)N * C > 1 << 12;
}

/* ---- Launchers ---- */

/* What mpirun and srun tell the processes that they start. */

/* How many processes were started together with this one, itself included; 0 if no launcher started
 * it. *number receives which of them it is, from 0. */
int launcher_processes(int *number);

/* Sums over the rows of an (N, C) matrix, such as the gradient of a bias. Rows cannot be
 * shared among threads, since all of them add to the same C sums; columns can. Each sum belongs to
 * one thread, which adds the rows in order, so the number of threads does not change its bits. */
typedef struct {
    int from, end;
} Columns;

/* The columns of C that belong to the calling thread of a parallel region: whole cache lines, so
 * that no two threads write to the same one. */
static inline Columns columns_of_thread(int C)
{
    enum { LINE = 64 / sizeof(Real) };
    const int lines = (C + LINE - 1) / LINE, threads = thread_count(), thread = thread_index();
    return (Columns){min_int(lines * thread / threads * LINE, C),
                     min_int(lines * (thread + 1) / threads * LINE, C)};
}

#endif
