/* inherit.h: settings that a call of train takes over: all of a run that it resumes, or how the
 * model that it goes on from is made and reads. Each returns NULL, or what in the call contradicts
 * them (the caller frees), and marks as given what it has taken. */
#ifndef PULGA_TAKE_OVER_H
#define PULGA_TAKE_OVER_H

#include "formats/huggingface/pretrained.h"
#include "settings.h"

/* A resumed run keeps its settings; this call may only let it run longer. */
char *take_over_run(Settings *settings, Decided *decided);

/* The model that settings->from names gives its sizes and its vocabulary. */
char *take_over_model(Settings *settings, Decided *decided, const Pretrained *model);

#endif
