/* plan.h: a run before it starts: every setting chosen and checked, and what follows from them.
 *
 * What suits a text is known in steps: before it is read, how it becomes tokens; when it is read,
 * how many subwords there are; when its tokens are counted, the sizes of the model; when it is cut
 * into pieces, the length of the run. Each function below chooses the settings of one step. What
 * was decided stays; settings that contradict each other are a usage error. In a resumed run
 * everything is decided. */
#ifndef PULGA_PLAN_H
#define PULGA_PLAN_H

#include "model/gpt.h"
#include "model/optimizer/optimizer.h"
#include "settings.h"
#include "text/corpus/corpus.h"

typedef struct {
    Settings settings; /* complete */
    GptConfig shape;   /* its patterns belong to the plan */
    Schedule schedule;
    bool whole_in_a_step; /* every step sees the whole training text: a step is an epoch */
    double passes;        /* over the text: steps by those of an epoch */
    bool shortened;       /* to about an hour: with epochs of its own it would take longer */
    bool gentle;          /* the rate is a tenth of a new run's: it starts from another model */
    int rows;             /* of the largest part of a step */
    size_t parameters;
    double bytes; /* of memory, about */
} Plan;

/* What is seen of a text before it is read. */
typedef struct {
    size_t size;     /* in bytes */
    bool pairs;      /* its lines look like pairs */
    bool few_spaces; /* each side of them is one word */
    bool wrapped;    /* its lines end at a column, not where a sentence ends */
    bool blocks;     /* its lines come in blocks, with a blank line after each */
} TextLook;

/* What is learned of a text, and how it becomes tokens. */
void plan_text(Settings *settings, const Decided *decided, const TextLook *text);

/* How many subwords a text of this size gets, if it is read by these. */
void plan_vocabulary(Settings *settings, size_t text_size);

/* The sizes of the model, and how much of the text is held out: what corpus_cut() needs. */
void plan_model(Settings *settings, const Decided *decided, const Corpus *corpus);

/* All the rest, from a corpus that has been cut. */
Plan plan_training(const Settings *settings, const Decided *decided, const Corpus *corpus,
                   int vocabulary);
void plan_free(Plan *plan);

#endif
