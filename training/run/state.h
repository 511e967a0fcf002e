/* state.h: state.safetensors, all that going on needs: the last weights, Adam's moments, the best
 * weights where they are others, and the progress. Its numbers have a checksum, and what it says
 * beside them another one. */
#ifndef PULGA_STATE_H
#define PULGA_STATE_H

#include "model/adam.h"
#include "log.h"

/* Where a run is. */
typedef struct {
    int64_t step;  /* done */
    int64_t epoch; /* position in the data: see corpus.h */
    size_t next;
    double best_loss; /* infinity before the first evaluation */
    int64_t best_step;
    int worse;                  /* evaluations since the best one */
    double loss, gradient_norm; /* of the last step, for the log */
    bool evaluated;             /* since that step */
} Progress;

/* Writes it, with where the log is and what makes the run the one that it is (run_identity). Says
 * what failed and returns false. */
bool state_write(const char *directory, const Gpt *gpt, const Adam *adam, Real *best,
                 const Progress *progress, const Log *log, uint64_t identity);

/* Reads it, and into the log how it was then: log_go_on checks that. Dies where anything is not as
 * it was written, or of another run. */
Progress state_read(const char *directory, Gpt *gpt, Adam *adam, Real *best, Log *log,
                    uint64_t identity);

#endif
