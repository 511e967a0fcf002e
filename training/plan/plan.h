/* plan.h: a run before it starts: every setting chosen and checked, and what follows from them.
 *
 * What suits a text is known in steps: how it becomes tokens before it is read, the sizes of the
 * model when its tokens are counted, the length of the run when it is cut into pieces. Each
 * function chooses more of the settings. What was decided stays; settings that do not go together
 * are a usage error. A resumed run comes with everything decided. */
#ifndef PULGA_PLAN_H
#define PULGA_PLAN_H

#include "data/corpus/corpus.h"
#include "model/gpt.h"
#include "model/schedule.h"
#include "settings.h"

typedef struct {
    Settings settings; /* complete */
    GptConfig shape;
    Pattern *patterns; /* (L, H) the shape's, if --window is given; the plan's own */
    Schedule schedule;
    bool whole_in_a_step; /* every step sees the whole training text: a step is an epoch */
    bool gentle;          /* the rate is a tenth of a new run's: it starts from another model */
    int rows;             /* of the largest part of a step */
    int reach;            /* how many tokens back the model sees; REACH_ALL if that has no bound */
    size_t parameters;
    double bytes; /* of memory, about */
} Plan;

/* How the text becomes tokens. */
void plan_text(Settings *settings, const Decided *decided);

/* The sizes of the model, and how much of the text is held out: what corpus_cut() needs. */
void plan_model(Settings *settings, const Decided *decided, const Corpus *corpus);

/* All the rest, from a corpus that has been cut. */
Plan plan_training(const Settings *settings, const Decided *decided, const Corpus *corpus,
                   int vocabulary);
void plan_free(Plan *plan);

#endif
