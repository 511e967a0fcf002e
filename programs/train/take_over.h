/* take_over.h: settings that a call of train takes over: all those of a run that it resumes, or the
 * sizes and the vocabulary of a model that it starts from. A call that contradicts them is a usage
 * error; what is taken over counts as decided. */
#ifndef PULGA_TAKE_OVER_H
#define PULGA_TAKE_OVER_H

#include "formats/huggingface/config.h"
#include "programs/train/plan/settings.h"

/* A resumed run keeps the settings in its config.json; the call may change only those marked
 * LIFE_MAY_CHANGE. */
void take_over_run(Settings *settings, Decided *decided, const Config *config,
                   const Directory *directory);

/* Takes over the sizes of the model that settings->from names, and how it reads a text. */
void take_over_model(Settings *settings, Decided *decided, const Pretrained *model);

#endif
