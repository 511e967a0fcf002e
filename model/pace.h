/* pace.h: how many threads suit, found by measuring.
 *
 * A step may be too small for threads to help, or a neighbour may need their processors: then they
 * wait for each other at every loop's end and all are slower than one. So now and then two steps
 * are taken with one thread and two with all, and the faster way is kept. The bits of a run do not
 * depend on the number of threads, so nobody can tell but by the clock. */
#ifndef PULGA_PACE_H
#define PULGA_PACE_H

#include "base.h"

typedef struct {
    int most;          /* threads at most */
    int threads;       /* to use for the next step: 1 or most */
    int kept;          /* the same before the trial under way */
    int probing;       /* steps left of that trial; 0: there is none */
    double best[2];    /* seconds a token at best in the last trial: with one, with all */
    int until, pause;  /* steps until the next trial, and after the one before */
    int slow;          /* steps in a row that were much slower than the trial promised */
} Pace;

/* For up to `most` threads; with a fixed number there is no trial. */
Pace pace_new(int most, bool fixed);

/* Sets the threads for the next step. */
void pace_begin(const Pace *pace);

/* What that step took. */
void pace_end(Pace *pace, double seconds_per_token);

#endif
