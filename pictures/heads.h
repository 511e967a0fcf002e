/* heads.h: what each head of a model looks at over one text, and that in a few numbers.
 *
 * Layers, heads and words are counted from 0 in the code and in arrays, from 1 wherever a person
 * reads them. */
#ifndef PULGA_HEADS_H
#define PULGA_HEADS_H

#include "model/gpt.h"
#include "data/tokenizer.h"

typedef struct {
    int from, end; /* end is the one behind the last */
} Range;

typedef struct {
    int heads, length; /* H T */
    Range layer, head; /* those that are wanted; all at first */
    bool begun;        /* the first token is [bos] */
    char **tokens;     /* (T) as the vocabulary has them */
    char **shown;      /* (T) the same for the eye: see shown.h */
    Pattern *patterns; /* (L, H) which keys a query attends to */
    Real *weights;     /* (L, H, T, T) rows are queries, columns keys; each row sums to 1 */
} Heads;

/* Reads the tokens, which fit into the model's context, and keeps where each head looked. Its
 * memory is its own: heads_free. */
Heads heads_look(Gpt *gpt, const Tokenizer *tokenizer, const int *tokens, int count);
void heads_free(Heads *heads);

/* The weights of one head, (T, T). */
const Real *head_weights(const Heads *heads, int layer, int head);

Pattern head_pattern(const Heads *heads, int layer, int head);

/* The first key that a query may see; it is the last one itself. */
int head_first_key(const Heads *heads, int layer, int head, int query);

/* How many pairs of query and key one head may see, and all wanted heads together. */
size_t head_pairs(const Heads *heads, int layer, int head);
size_t heads_pairs(const Heads *heads);

/* Means over the queries; the last two over all but the first, which has nothing before itself.
 * NAN where there is none. */
typedef struct {
    double entropy;             /* of a row, in bits: 0 is one word, 1 is two alike, 2 is four */
    double back;                /* how many words back it looks: each distance by its weight */
    double itself, before, bos; /* weight on the query, on the word before it, on [bos] */
} HeadSummary;

HeadSummary head_summary(const Heads *heads, int layer, int head);

#endif
