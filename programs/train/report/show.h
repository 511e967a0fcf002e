/* show.h: continuations of a prompt by a model in training: see --show. They change nothing of the
 * training: another model has a copy of the weights, and the random numbers are those of the seed
 * and the step. */
#ifndef PULGA_SHOW_H
#define PULGA_SHOW_H

#include "programs/train/trainer.h"

typedef struct Show Show;

/* The trainer has a plan with --show, and has begun its files. */
Show *show_new(const Trainer *trainer);
void show_free(Show *show);

/* Continues the prompt by the weights that are evaluated, and writes that to trainer->shown.
 * Returns what to print, a line for each continuation: an stb_ds array, which names_free() frees.
 * */
char **show_continuations(Show *show, Trainer *trainer);

#endif
