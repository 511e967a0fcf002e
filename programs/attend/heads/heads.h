/* heads.h: which tokens each head of a model attends to in one text, and a few numbers about it.
 *
 * Layers, heads and tokens are counted from 0 in the code and in arrays, but from 1 wherever a
 * person reads them. */
#ifndef PULGA_HEADS_H
#define PULGA_HEADS_H

#include "model/gpt.h"
#include "text/corpus/corpus.h"
#include "text/tokenizer.h"

/* One head. Which keys a query attends to is kept as a list of ranges without gaps:
 * whatever draws or writes a head walks these ranges (EACH_KEY) and knows nothing of patterns. */
typedef struct {
    int layer, head;  /* from 0 */
    Pattern pattern;  /* only for its name */
    KeyRange *ranges; /* stb_ds array */
    int *first;       /* (T + 1) the ranges of query i are first[i], …, first[i + 1] − 1 */
    const Real *map;  /* (T, T) its attention map: rows are queries, columns keys. Each row sums
                      * to 1; a key that the query does not attend to has 0. */
} Head;

/* The heads that were chosen from a model, and what they read. */
typedef struct {
    Head *head;        /* (layers, heads) */
    int layers, heads; /* how many were chosen: consecutive ones, from head[0] on */
    int count;         /* layers · heads */
    int length;        /* T */
    int prefix;        /* the first tokens, which see each other in both directions */
    int source;        /* the tokens up to and with [sep]; 0: there is no source */
    bool begun;        /* the first token is [bos] */
    char **tokens;     /* (T) as the vocabulary has them */
    char **display;    /* (T) the same made safe to display */
    Real *maps;        /* of all heads of the model */
    const char *run;   /* the model's directory and the text as the user gave them; the caller's */
    const char *text;
} Heads;

/* Layers or heads from, from + 1, …, end − 1. */
typedef struct {
    int from, end;
} Range;

/* Runs the model over a sequence, which must fit into its context, and keeps the attention maps of
 * the chosen heads. The caller frees them with heads_free and sets run and text. */
Heads heads_read(Gpt *gpt, const Tokenizer *tokenizer, const Sequence *sequence, Range layers,
                 Range heads);
void heads_free(Heads *heads);

/* Lists the ranges of keys of each query of a sequence, step 1 each; heads_free() frees ranges and
 * first. */
void head_set_pattern(Head *head, Pattern pattern, int length, int prefix);

/* Steps through the chosen heads, and through the keys that a query attends to, in increasing
 * order. */
#define EACH_HEAD(h, of) for (const Head *(h) = (of)->head; (h) < (of)->head + (of)->count; (h)++)
#define EACH_RANGE(keys, of, query)                                  \
    for (const KeyRange *(keys) = (of)->ranges + (of)->first[query]; \
         (keys) < (of)->ranges + (of)->first[(query) + 1]; (keys)++)
#define EACH_KEY(key, of, query)        \
    EACH_RANGE (key##_range, of, query) \
        for (int(key) = key##_range->from; (key) < key##_range->end; (key)++)

/* The number of pairs of a query and a key that it attends to, in all chosen heads. */
size_t heads_pairs(const Heads *heads);

/* Means over the queries. `before` and `bos` leave out the first query, which has no token before
 * it, and are NAN if there is no other; `bos` is also NAN if the text does not begin with [bos].
 * `after` is the mean over those that see the next token, NAN if none does. */
typedef struct {
    double entropy;  /* of a row, in bits: 0 is one key, 1 is two equal ones, 2 is four */
    double distance; /* from query to key in tokens, weighted by the attention */
    double itself;   /* attention to the query itself, */
    double before;   /* to the token before it, */
    double after;    /* to the token after it, */
    double bos;      /* and to [bos] */
} HeadSummary;

HeadSummary head_summary(const Heads *heads, const Head *head);

/* ---- As numbers for other programs ---- */

/* What NumPy's file of one array begins with: a line of text with its shape follows, then the
 * numbers, float32, little-endian, the last axis fastest. np.load("heads.npy") reads it. */
extern const char NPY_BEGIN[];

/* The header of an array of four axes; then all of its numbers, in one call or in several. */
void npy_begin(FILE *out, const int shape[4]);
void npy_numbers(FILE *out, const Real *numbers, size_t count);

/* Such a file with the axes (layers, heads, T, T). */
void numbers_npy(FILE *out, const Heads *heads);

/* A line for each pair of a query and a key that it attends to, under this header. The tokens are
 * safe to display in a terminal and to open in a spreadsheet. */
#define NUMBERS_CSV_HEADER "layer,head,query,key,query_token,key_token,weight\n"
void numbers_csv(FILE *out, const Heads *heads);

/* One object with the tokens as the vocabulary has them, and for each head its pattern, summary,
 * ranges of keys and map:
 *
 *     source    the number of tokens up to and with [sep]; 0: the text is not a pair
 *     ranges    for each query, the first and the last key of each range that it attends to
 *     weights   for each query, a number for each key of the text */
void numbers_json(FILE *out, const Heads *heads);

/* Two of these members, for one head; the page also has them. */
void put_summary(FILE *out, const Heads *heads, const Head *head);
void put_key_ranges(FILE *out, const Heads *heads, const Head *head);

/* ---- What a head is good for ---- */

/* What each head of a model does, in three numbers:
 *
 *     rise        of the mean loss of a text if the head, or all of its layer, adds nothing
 *     before      the mean attention to the token before, and
 *     induction   from a token that occurs for the second time to the one that came after it the
 *                 first time (Olsson et al. 2022): both in random tokens that are written twice
 *
 * A head with an induction of 1 finds what followed the last time: it copies. */
typedef struct {
    const char *run, *text;     /* as the user gave them; the caller's */
    const char *file;           /* that the text is all of, or NULL; likewise */
    int layers, heads;          /* L H */
    double loss;                /* of the text, with all heads: the mean of its tokens */
    int count;                  /* of its tokens that the model predicts, ... */
    bool sample;                /* ... of which, in a large file, these are a sample */
    double *rise;               /* (L, H + 1) number H is of the whole layer */
    double *before, *induction; /* (L, H) */
    int twice;                  /* how many random tokens are written twice; 0: none, since the
                                  model does not predict each next token, or its context or its
                                  vocabulary has no room for two */
} Effects;

/* The sum of the losses of a text's tokens, and in *count how many of them the model predicts. If
 * it fills gaps, each token is masked by itself. */
double effects_loss(Gpt *gpt, const Objective *objective, const int *ids, int length, int *count);

/* What the heads do for a text. If the model predicts none of its tokens, count is 0 and the rises
 * are not set. effects_free() frees it. */
Effects effects_read(Gpt *gpt, const Tokenizer *tokenizer, const Objective *objective,
                     const int *ids, int length);

/* What effects_read() gives, as means over a corpus that was cut for the model: over the tokens of
 * all lines or, if it is large, over the sample that a run evaluates. */
Effects effects_of_corpus(Gpt *gpt, const Tokenizer *tokenizer, const Corpus *corpus);
void effects_free(Effects *effects);

/* {"run": "runs/perro",
 * "text": "el perro come",
 * "loss": 0.5018,
 * "tokens": 3,
 * "effects": [
 * {"layer": 1, "head": 1, "rise": -0.0128, "previous": 0.26, "copies": 0.2}, …]}
 *
 * A file has its name, as "file", in the place of the text. Of a whole layer `head` is null; so are
 * `previous` and `copies` where they are not measured. In CSV these three are empty. */
void effects_json(FILE *out, const Effects *effects);
#define EFFECTS_CSV_HEADER "layer,head,rise,previous,copies\n"
void effects_csv(FILE *out, const Effects *effects);

#endif
