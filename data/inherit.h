/* inherit.h: settings that a call of train takes over: all of a run that it resumes, or how the
 * model that it goes on from is made and reads. Each returns NULL, or what in the call contradicts
 * them (the caller frees), and marks as given what it has taken. */
#ifndef PULGA_INHERIT_H
#define PULGA_INHERIT_H

#include "pretrained.h"
#include "settings.h"

/* A resumed run keeps its settings; this call may only let it run longer. */
char *inherit_run(Settings *settings, Given *given);

/* The model that settings->from names gives its sizes and its vocabulary. */
char *inherit_model(Settings *settings, Given *given, const Pretrained *model);

#endif
