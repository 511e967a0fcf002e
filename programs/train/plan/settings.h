/* settings.h: all settings of a run: one struct, and one table with each member's name, kind,
 * limits and default (see base/field.h). The command line, --help, config.json and a resumed run go
 * through that table, so a new setting is a member here and a row there.
 *
 * A setting without a default of its own is chosen to suit the text: see plan.h. */
#ifndef PULGA_SETTINGS_H
#define PULGA_SETTINGS_H

#include "base/field.h"
#include "model/matrix/matrix.h"
#include "model/optimizer.h"
#include "model/shape/gpt_config.h"
#include "text/tokenizer.h"

typedef enum { SEQUENCE_LINES, SEQUENCE_STREAM } SequenceChoice;
typedef enum { LIKE_GPT2, LIKE_LLAMA } Likeness;

typedef struct {
    /* the text */
    ObjectiveKind objective;
    bool causal_source; /* of pairs */
    double mask;        /* masked: the share of the tokens that a step hides */
    TokenizerKind tokens;
    SequenceChoice sequence;
    bool lower;
    int min_count, max_words; /* which words get an id; the others become [unk] */
    int vocabulary;           /* size of one of subwords; 0 until it is chosen, and for others */
    double val;               /* share of the lines, or of the stream, that is held out */
    int val_seed;             /* draws those lines, and what is evaluated; 0: the last lines */
    bool counts;              /* keep what counting needs to be mixed with the model */
    /* the model */
    Likeness likeness;
    GptConfig shape; /* all but the size of its vocabulary and its patterns */
    char *attend;    /* a list of patterns (see model/shape/pattern.h), or NULL: all */
    double dropout;
    /* training */
    int epochs, steps; /* one is given, the other follows from it */
    int batch;         /* sequences in a step */
    int shards;        /* of a step, whose gradients are added along a tree */
    int accumulate;    /* the parts that each shard is computed in */
    OptimizerKind optimizer;
    ScheduleKind schedule; /* which of the next five it reads: see model/optimizer.h */
    double lr, lr_factor, min_lr;
    int warmup;
    double cooldown, decay, epsilon, clip;
    bool average;
    int patience, eval_every, seed; /* patience counts evaluations; 0: no limit */
    int log_every, checkpoint_every, keep, show;
    char *prompt; /* to show continuations of; NULL: an empty one */
    Precision precision;
    /* this call only; not part of what the run is (texts are NULL if they are not given) */
    int stop_after, threads;
    double minutes; /* how long it may take; 0: not given */
    char *out, *resume, *text, *val_text, *from, *verify;
    bool overwrite, no_plot, json, compare;
} Settings;

/* Which settings were given, or taken over; see DECIDED(). */
typedef DECIDED_OF(Settings) Decided;

/* The fields of a Settings. */
extern const Field SETTINGS[];

/* The field of one member: SETTING(batch). */
#define SETTING(member) field_at(SETTINGS, offsetof(Settings, member))

/* Ends in a usage error if the settings given in a call of train contradict each other; text_path
 * is its first TEXT or NULL. */
void settings_check(const Settings *settings, const Decided *decided, const char *text_path);

/* Ends in a usage error if a prompt was asked for that would have no effect. */
void settings_check_prompt(const Settings *settings, const Decided *asked);

/* Checks what is for one objective only, once that is known. */
void settings_check_objective(const Settings *settings, const Decided *decided);

/* The 256 bytes and the special tokens: no vocabulary of subwords is smaller. */
int settings_least_vocabulary(bool lines, ObjectiveKind objective);

/* Ends in a usage error if fewer are asked for. */
void settings_check_vocabulary(const Settings *settings, bool lines);

/* Checks the values that are known so far; call it again when more are. */
void settings_check_values(const Settings *settings, const Decided *decided);

/* The patterns (L, H) of --attend, or NULL if all heads attend to all; the caller frees them. Ends
 * in a usage error if the list is wrong, or has more entries than the model has heads. A size that
 * is not known yet is 0: then there are no patterns, but the list is checked. */
Pattern *settings_patterns(const char *attend, int layers, int heads);

#endif
