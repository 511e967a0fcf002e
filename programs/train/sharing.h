/* sharing.h: what the leader of a team has read and decided becomes everybody's. The other members
 * need no text, no run and no disk in common, only the program. */
#ifndef PULGA_SHARING_H
#define PULGA_SHARING_H

#include "text/corpus/corpus.h"
#include "programs/train/plan/settings.h"

/* A text, or NULL; the caller frees it. */
void share_text(char **text);

/* Settings, with their texts; those that a member had are freed. */
void share_settings(Settings *settings);

/* A corpus that was cut, for training: without the sizes of its lines in the text, and before what
 * is evaluated is chosen. */
void share_corpus(Corpus *corpus);

#endif
