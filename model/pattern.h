/* pattern.h: which keys a query of a head attends to. No other file knows what a pattern means:
 * attention, pictures and the floor ask here for ranges of keys.
 *
 *     causal     itself and everything before it
 *     window     itself and the size − 1 tokens before it
 *     full       the whole sequence, ahead of it too. No setting gives it; tests use it, as the
 *                published tables do. It cannot use a KV cache, which lacks the tokens ahead. */
#ifndef PULGA_PATTERN_H
#define PULGA_PATTERN_H

#include <limits.h>
#include <stdbool.h>

typedef enum { PATTERN_CAUSAL, PATTERN_WINDOW, PATTERN_FULL } PatternKind;

typedef struct {
    PatternKind kind;
    int size; /* of a window, at least 1; else 0 */
} Pattern;

/* Keys from, from + 1, …, end − 1. */
typedef struct {
    int from, end;
} KeyRange;

/* Converts between a number of --window (0: causal) and a pattern. A pattern that --window cannot
 * express has the number 0. */
Pattern pattern_window(int size);
int pattern_window_size(Pattern pattern);

/* The patterns (L, H) of a list of windows, which runs over the heads of the first layer, then of
 * the next, and repeats; NULL if all are causal. The caller frees them. */
Pattern *patterns_of_windows(const int *windows, int count, int layers, int heads);

/* Pattern number i of a list; patterns is NULL if all are causal. */
Pattern pattern_at(const Pattern *patterns, int i);

bool pattern_equal(Pattern a, Pattern b);

/* Steps through the ranges of keys that a query attends to in a sequence, in increasing order:
 *
 *     for (KeyRange keys = {0}; pattern_next(pattern, length, query, &keys);) ...
 *
 * Sets *keys to the range after it, which is never empty; false if there is none. */
bool pattern_next(Pattern pattern, int length, int query, KeyRange *keys);

/* The smallest range that holds all keys of some queries that follow each other. */
KeyRange pattern_span(Pattern pattern, int length, int query, int queries);

/* The size of the largest such span, for any `queries` queries of any sequence up to `length`. */
int pattern_largest_span(Pattern pattern, int length, int queries);

/* How many tokens, the query included, can influence the output of a model's last layer at a query
 * through all layers; REACH_ALL if that has no bound. patterns (L, H); NULL: all causal. */
enum { REACH_ALL = INT_MAX };
int pattern_reach(const Pattern *patterns, int layers, int heads);

/* What a person reads: "all", "window 8", "full". */
enum { PATTERN_TEXT = 32 };
const char *pattern_text(Pattern pattern, char text[PATTERN_TEXT]);

#endif
