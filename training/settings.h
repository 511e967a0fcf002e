/* settings.h: what a run is told to do: one struct, and one table that knows each member's name,
 * kind, limits and default. Options, config.json and a resumed run are all read through the table.
 *
 * A setting without a default of its own is chosen to suit the text (plan.h). */
#ifndef PULGA_SETTINGS_H
#define PULGA_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/layers/pattern.h"

struct cJSON;

typedef enum { TOKENS_WORD, TOKENS_CHAR } TokensChoice;
typedef enum { SEQUENCE_LINES, SEQUENCE_STREAM } SequenceChoice;
typedef enum { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED } PositionsChoice;
typedef enum { NORM_PRE, NORM_POST } NormChoice;
typedef enum { ACTIVATION_RELU, ACTIVATION_GELU } ActivationChoice;

typedef struct {
    /* the text */
    int tokens, sequence; /* choices */
    bool lower;
    int min_count, max_words;
    double val;
    /* the model */
    int layers, heads, width, head_size, hidden, context;
    char *window;                    /* "1,2,3,4"; NULL: none */
    int positions, norm, activation; /* choices */
    bool untied, no_qkv_bias;
    double dropout;
    /* training */
    int epochs, steps, batch, accumulate;
    int schedule; /* choice */
    double lr, lr_factor, min_lr;
    int warmup;
    double cooldown, decay, clip;
    int patience, eval_every, seed;
    int log_every, checkpoint_every, keep;
    int precision; /* choice */
    /* this call alone; not part of what the run is */
    int stop_after, threads;
    char *out, *resume, *text, *from;
    bool overwrite;
} Settings;

typedef enum { WHOLE, NUMBER, CHOICE, FLAG, WORDS, WINDOWS } FieldKind;

/* Whether a setting says what the run is. */
typedef enum {
    THIS_CALL,  /* no: each call says it anew                           */
    THE_RUN,    /* it is written to config.json; a resumed run keeps it */
    MAY_CHANGE, /* likewise, but a resumed run may be given another     */
} FieldLife;

typedef struct {
    const char *name; /* the option's, without its dashes */
    FieldKind kind;
    size_t offset;       /* of an int, double, int, bool, char *, char * */
    const char *preset;  /* the default as one would type it; NULL: suits the text, or none */
    double least, most;  /* of a WHOLE or a NUMBER; a FLAG sets its bool to `most` */
    const char *choices; /* "word|char" of a CHOICE; else what to call the value in the help */
    const char *help;
    FieldLife of_the_run;
} Field;

/* The fields of a Settings, ended by one without a name; one without an offset heads a group. */
extern const Field SETTINGS[];
enum { SETTINGS_MOST = 64 };

/* Which fields were given, by their index in the table. */
typedef struct {
    bool field[SETTINGS_MOST];
} Decided;

/* Sets every field of a table to its preset in the struct at `into`. */
void fields_preset(const Field *fields, void *into);

/* Copies one field that holds no words from one struct into another. */
void field_copy(const Field *field, void *into, const void *from);

/* Frees the words that the fields hold. */
void fields_free(const Field *fields, void *into);

/* Sets one field from its text; returns NULL, or what is wrong (the caller frees). */
char *field_set(const Field *field, void *into, const char *text);

/* The index of a field of a table by name, or -1. */
int field_index(const Field *fields, const char *name);

/* A field's value as JSON (the caller owns it), and back: NULL, or what is wrong. */
struct cJSON *field_to_json(const Field *field, const void *from);
char *field_from_json(const Field *field, void *into, const struct cJSON *value);

/* A list "1,2,3" as numbers: how many, at most `most`; -1 where the text is no such list. */
int window_list(const char *text, int *numbers, int most);

/* The patterns of all heads of all layers (L, H) from such a list, which repeats; the caller frees
 * them. NULL for no list, or, with a count of -1, for one with more numbers than there are heads;
 * else `count` is how many the list has. */
Pattern *patterns_of(const char *text, int layers, int heads, int *count);

/* Whether option `name` was given. */
bool is_decided(const Decided *decided, const char *name);

#endif
