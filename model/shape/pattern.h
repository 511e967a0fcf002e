/* pattern.h: which keys a query of a head attends to. No other file knows what a pattern means:
 * attention, pictures and the floor ask here for ranges of keys.
 *
 *     all            every key that it sees
 *     8              a window: itself and the 7 tokens before it
 *     strided:8      itself and every 8th token before it
 *     fixed:8        the tokens of its own block, if the sequence is cut into blocks of 8
 *     summary:8:2    itself and the last 2 tokens of every block of 8
 *
 * A query sees the keys below its limit. Usually that is itself and everything before it: the limit
 * of query i is i + 1. A sequence may have a prefix whose tokens see each other in both directions.
 * Then the limit of the prefix's queries is its end, and their windows and strides reach ahead as
 * they reach back. */
#ifndef PULGA_PATTERN_H
#define PULGA_PATTERN_H

#include "base/base.h"

typedef enum {
    PATTERN_ALL,
    PATTERN_WINDOW,
    PATTERN_STRIDED,
    PATTERN_FIXED,
    PATTERN_SUMMARY
} PatternKind;

/* size: of the window, the stride or a block, at least 1; else 0. last: how many tokens of a block
 * are its summary, from 1 to size, but at most PATTERN_MOST_LAST; else 0. */
enum { PATTERN_MOST_LAST = 64 };
typedef struct {
    PatternKind kind;
    int size, last;
} Pattern;

/* The patterns (L, H) of a list such as "all,8,strided:8", which runs over the heads of the first
 * layer, then of the next, and repeats; 0 is also all. Returns how many entries it has, 0 if one of
 * them is no pattern. *patterns is NULL if all are PATTERN_ALL; the caller frees it. */
int patterns_parse(Pattern **patterns, const char *list, int layers, int heads);

/* The list with an entry for each head; the caller frees it. */
char *patterns_list(const Pattern *patterns, int count);

/* Pattern number i of (L, H); `patterns` may be NULL: all are PATTERN_ALL. */
Pattern pattern_at(const Pattern *patterns, int i);

/* What a person reads: "all", "window 8", "strided 8", "fixed 8", "summary 8:2". */
enum { PATTERN_TEXT = 40 };
const char *pattern_text(Pattern pattern, char text[PATTERN_TEXT]);

/* ---- Keys ---- */

/* Keys from, from + step, from + 2·step, … below end; none if end is not above from. */
typedef struct {
    int from, end, step;
} KeyRange;

static inline int key_count(KeyRange keys)
{
    const int size = keys.end - keys.from;
    return size <= 0 ? 0 : keys.step == 1 ? size : (size - 1) / keys.step + 1;
}

static inline int key_limit(int query, int prefix)
{
    return query < prefix ? prefix : query + 1;
}

/* The number of ranges that hold a query's keys. No key is in two of them. */
static inline int pattern_ranges(Pattern p)
{
    return p.kind == PATTERN_SUMMARY ? p.last + 1 : 1;
}

static inline int pattern_step(Pattern p)
{
    return p.kind == PATTERN_STRIDED ? p.size : 1;
}

/* from + size, or the limit; a size may be so large that the sum is no int. */
static inline int key_end(int from, int size, int limit)
{
    return (int)min_int64((int64_t)from + size, limit);
}

/* Range number `number` of them, from 0. From a query to the next one that is pattern_step() away,
 * `from` and `end` never fall, and the keys stay in step. So the range from the first query's
 * `from` to the last query's `end` holds the keys of all queries between them. */
static inline KeyRange pattern_range(Pattern p, int query, int limit, int number)
{
    switch (p.kind) {
    case PATTERN_ALL: break;
    case PATTERN_WINDOW:
        return (KeyRange){max_int(query - p.size + 1, 0), key_end(query, p.size, limit), 1};
    case PATTERN_STRIDED: return (KeyRange){query % p.size, limit, p.size};
    case PATTERN_FIXED: {
        const int block = query / p.size * p.size;
        return (KeyRange){block, key_end(block, p.size, limit), 1};
    }
    case PATTERN_SUMMARY: {
        /* One for each of the last tokens of a block, that of all blocks, and one for the query
         * itself, which is empty if it is such a token. */
        const int first = p.size - p.last;
        if (number == p.last)
            return (KeyRange){query, query + (query % p.size < first), 1};
        return (KeyRange){first + number, limit, p.size};
    }
    }
    return (KeyRange){0, limit, 1};
}

/* Sets keys[j] for each key j that a query attends to. */
void pattern_mark(Pattern pattern, int query, int limit, bool *keys);

/* The most keys that the ranges of `queries` queries, pattern_step() apart, hold together in any
 * sequence up to `length`. */
int pattern_most_keys(Pattern pattern, int length, int queries);

/* Whether a model tells apart a query of two sequences with different prefixes although the tokens
 * that reach it are the same: then one of these attends to other keys in one of the layers. */
bool pattern_tells_apart(const Pattern *patterns, int layers, int heads, int query, int prefix,
                         int other);

/* reach (limit of the query): whether a token can influence the output of a model's last layer at
 * this query, through all its layers. patterns (L, H); NULL: all. */
void pattern_reach(const Pattern *patterns, int layers, int heads, int query, int prefix,
                   bool *reach);

#endif
