/* tiny.h: the smallest runs, for tests that need a run's directory. */
#ifndef PULGA_TINY_H
#define PULGA_TINY_H

#include "programs/train/trainer.h"

/* Sets a setting by its option's name, as the command line does. */
void tiny_set(Settings *settings, Decided *decided, const char *name, const char *value);

/* Opens a run on texts, whose list must outlive it. Sizes and options are names and values, ended
 * by NULL. */
void tiny_open(Trainer *trainer, char *const *texts, const char *const *sizes,
               const char *const *options);

/* Trains on a text into a directory: five steps of eight, with an evaluation after the third. The
 * sizes are the smallest; `options` are further names and values, ended by NULL. */
void tiny_run(const char *directory, const char *text_path, const char *const *options);

#endif
