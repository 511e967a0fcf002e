/* showing.h: all that sample and attend show of a model, looked through. */
#ifndef PULGA_SHOWING_H
#define PULGA_SHOWING_H

#include "training/run/training_text.h"

/* Answers a prompt and draws where the heads look, to the terminal and into every kind of file;
 * what comes out must be what its kind is, whatever the words are. */
void show_all(Pretrained *model, const TrainingText *training_text, const char *prompt,
              size_t size);

#endif
