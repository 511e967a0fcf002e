/* state.h: state.safetensors, all that a resumed run needs: the last weights, Adam's moments, with
 * --average the averaged weights, the best weights if they are others, and the progress. */
#ifndef PULGA_STATE_H
#define PULGA_STATE_H

#include "base/files/file.h"
#include "model/optimizer/optimizer.h"

/* How far a run has come: all that a step reads or changes beside weights and moments. */
typedef struct {
    int64_t step;  /* done */
    int64_t epoch; /* from 0, and the next piece of it: see text/corpus/batches.h */
    size_t next;
    double best_loss;           /* infinity before the first evaluation */
    int64_t best_step;          /* if it is `step`, they are the last or averaged ones */
    int worse;                  /* evaluations since the best one, for --patience */
    double loss, gradient_norm; /* of the last step, for the log */
    bool evaluated;             /* since that step */
} Progress;

/* Writes it, with the size of the log and the identity of the run (record.h). Warns and returns
 * false if that fails. */
bool state_write(const Directory *directory, const Gpt *gpt, const Optimizer *optimizer, Real *best,
                 const Progress *progress, size_t log_size, uint64_t identity);

/* Reads it into the weights, the optimizer and the block `best`; dies if it is damaged or belongs
 * to a run of another identity. */
Progress state_read(const Directory *directory, Gpt *gpt, Optimizer *optimizer, Real *best,
                    size_t *log_size, uint64_t identity);

/* The checksum of all that the next step starts from: the weights, both moments, the averaged
 * weights if there are any. */
uint64_t state_checksum(const Gpt *gpt, const Optimizer *optimizer);

#endif
