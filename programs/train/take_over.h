/* take_over.h: settings that a call of train takes over: all those of a run that it resumes, or the
 * sizes and the vocabulary of a model that it starts from. A call that contradicts them is a usage
 * error; what is taken over counts as decided. */
#ifndef PULGA_TAKE_OVER_H
#define PULGA_TAKE_OVER_H

#include "formats/huggingface/config.h"
#include "programs/train/plan/settings.h"
#include "text/corpus/corpus.h"

/* A resumed run keeps the settings in its config.json; the call may change only those marked
 * LIFE_MAY_CHANGE. */
void take_over_run(Settings *settings, Decided *decided, const Config *config,
                   const Directory *directory);

/* Takes over the sizes of the model that settings->from names, and how it reads a text. */
void take_over_model(Settings *settings, Decided *decided, const Pretrained *model);

/* ---- Sharing ---- */

/* What the leader of a team has read and decided becomes everybody's. The other members need no
 * text, no run and no disk in common, only the program. */

/* A text, or NULL; the caller frees it. */
void share_text(char **text);

/* Settings, with their texts; those that a member had are freed. */
void share_settings(Settings *settings);

/* A corpus that was cut, for training: without the sizes of its lines in the text, and before what
 * is evaluated is chosen. */
void share_corpus(Corpus *corpus);

#endif
