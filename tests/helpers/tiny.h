/* tiny.h: the smallest runs, whose directories are damaged on purpose. */
#ifndef PULGA_TINY_H
#define PULGA_TINY_H

#include "training/settings.h"

/* Sets a setting by its option's name, as the command line does. */
void tiny_set(Settings *settings, Decided *decided, const char *name, const char *value);

/* Trains on a text into a directory: five steps of eight, the third evaluated. `options` are names
 * and values, ended by NULL, beside the smallest sizes. */
void tiny_run(const char *directory, const char *text_path, const char *const *options);

#endif
