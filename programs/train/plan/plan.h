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
#include "model/optimizer.h"
#include "text/corpus/corpus.h"
#include "text/tokenizer.h"
#include "settings.h"

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
    bool turns;      /* each line is a turn of a conversation */
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

/* ---- Advice ---- */

/* Recognises texts that would be read better with other options, as a person sees at a glance: a
 * book whose lines are wrapped at column 72, a Japanese text. */

/* The column at which the lines of a text are wrapped, or 0. */
int text_wrapped_at(const Text *text);

/* Whether the lines of a text come in blocks, as in poems, subtitles and code: then they belong
 * together. */
bool text_in_blocks(const Text *text);

/* One line that names a better option, if a text has no spaces between its words but is read as
 * words; else NULL. The caller frees it. */
char *text_advice(const Text *text, TokenizerKind kind);

/* One line that says how much text there is, and how much it takes, if a text is so small that it
 * has nothing to learn but itself; else NULL. What can be learnt is what comes again: a text of
 * less than 10 kB is too small if each word comes less than twice on average. (In nine sentences of
 * 13 different words each comes three times.) The caller frees it. */
char *text_advice_of_little(const Text *text, TokenizerKind kind);

/* Advice if most lines of a text that is not read as pairs have one tab. */
char *text_advice_of_pairs(const Text *text);

/* Likewise if most lines are turns of two who speak: what is wrong with the first that is none. */
char *text_advice_of_turns(const Text *text);

/* Whether the lines of a text have so few spaces that each side of a pair is one word: then its
 * words would hardly come twice, and its characters are to be read. */
bool text_has_few_spaces(const Text *text);

#endif
