/* announce.h: what a training says before its first step: what the text holds and allows, and what
 * was chosen for it. */
#ifndef PULGA_ANNOUNCE_H
#define PULGA_ANNOUNCE_H

#include "training/trainer.h"
#include "screen.h"

void announce(const Trainer *t, const Screen *screen);

#endif
