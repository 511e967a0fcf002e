/* plan.h: a run before it starts: every setting chosen and checked, and what follows from them. */
#ifndef PULGA_PLAN_H
#define PULGA_PLAN_H

#include "model/gpt.h"
#include "model/schedule.h"
#include "data/corpus/corpus.h"
#include "settings.h"

typedef struct {
    Settings settings; /* complete */
    GptConfig shape;
    Pattern *patterns; /* (L, H) the shape's, if --window is given; the plan's own */
    Schedule schedule;
    bool whole_in_a_step; /* every step sees the whole training text */
    int rows;             /* of the largest part of a step */
    int reach;            /* tokens a model with windows sees, REACH_ALL without */
    size_t parameters;
    double bytes; /* of memory, about */
} Plan;

/* How tokens are made, before anything else is known: sequence follows tokens. */
void plan_text(Settings *settings, const Decided *decided);

/* Chooses what was not given to suit the corpus, cuts it, and checks everything together: what does
 * not fit is a usage error. A resumed run comes with everything decided. */
void plan_make(Plan *plan, const Settings *settings, const Decided *decided, Corpus *corpus,
               int vocabulary);
void plan_free(Plan *plan);

#endif
