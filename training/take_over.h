/* take_over.h: settings that a call of train takes over: all those of a run that it resumes, or the
 * sizes and the vocabulary of a model that it starts from. What the call contradicts is a usage
 * error; what is taken over counts as decided. */
#ifndef PULGA_TAKE_OVER_H
#define PULGA_TAKE_OVER_H

#include "formats/huggingface/pretrained.h"
#include "training/plan/settings.h"

/* A resumed run keeps its settings, which its config.json holds; this call may only change those
 * that may change. */
void take_over_run(Settings *settings, Decided *decided, const Config *config,
                   const Directory *directory);

/* The model that settings->from names gives its sizes and its vocabulary. */
void take_over_model(Settings *settings, Decided *decided, const Pretrained *model);

#endif
