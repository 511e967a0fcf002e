/* announce.h: what training prints before its first step (what was read, what losses to expect, the
 * model and the settings that were chosen, where the run is written) and after its last one. */
#ifndef PULGA_ANNOUNCE_H
#define PULGA_ANNOUNCE_H

#include "programs/terminal/screen.h"
#include "programs/train/trainer.h"

/* Prints it all, before the first step and before any file is written. */
void announce(const Trainer *trainer, const Screen *screen);

/* How a call of train ended. */
typedef struct {
    const char *program;  /* the name it was called by */
    const char *signal;   /* the one that stopped it, or NULL */
    bool in_evaluation;   /* the signal came during one */
    bool out_of_patience; /* see --patience */
    bool saved;           /* the last step; if not, the reason was printed */
    int64_t steps;        /* taken by this call */
    size_t tokens;        /* trained on */
    double seconds;
    double whole; /* the loss of the best weights over all that a sample was drawn of; else NAN */
    size_t whole_targets;
    double whole_bits; /* the same loss in bits per byte; NAN if it cannot be compared */
} Ending;

/* Prints why training stopped, the best loss, the model's checksum, the time it took, and the
 * commands that come next. */
void conclude(const Trainer *trainer, const Screen *screen, const Ending *ending);

#endif
