/* pattern.c: the ranges of keys of each kind of pattern, and what follows from them. A new kind
 * needs a case in pattern_next(), pattern_largest_span() and reach_of_head(), and a name. */
#include "pattern.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"

Pattern pattern_window(int size)
{
    return size ? (Pattern){PATTERN_WINDOW, size} : (Pattern){PATTERN_CAUSAL, 0};
}

int pattern_window_size(Pattern pattern)
{
    return pattern.kind == PATTERN_WINDOW ? pattern.size : 0;
}

bool pattern_equal(Pattern a, Pattern b)
{
    return a.kind == b.kind && a.size == b.size;
}

bool pattern_next(Pattern pattern, int length, int query, KeyRange *keys)
{
    if (keys->end > 0) /* these three kinds have one range */
        return false;
    switch (pattern.kind) {
    case PATTERN_CAUSAL: *keys = (KeyRange){0, query + 1}; break;
    case PATTERN_WINDOW: *keys = (KeyRange){max_int(query - pattern.size + 1, 0), query + 1}; break;
    case PATTERN_FULL: *keys = (KeyRange){0, length}; break;
    }
    return true;
}

KeyRange pattern_span(Pattern pattern, int length, int query, int queries)
{
    KeyRange span = {length, 0};
    for (int i = query; i < query + queries; i++)
        for (KeyRange keys = {0}; pattern_next(pattern, length, i, &keys);) {
            span.from = min_int(span.from, keys.from);
            span.end = max_int(span.end, keys.end);
        }
    return span;
}

int pattern_largest_span(Pattern pattern, int length, int queries)
{
    if (pattern.kind != PATTERN_WINDOW || pattern.size >= length)
        return length;
    return (int)min_int64((int64_t)pattern.size + queries - 1, length);
}

size_t pattern_pairs(Pattern pattern, int length)
{
    size_t pairs = 0;
    for (int query = 0; query < length; query++)
        for (KeyRange keys = {0}; pattern_next(pattern, length, query, &keys);)
            pairs += (size_t)(keys.end - keys.from);
    return pairs;
}

/* Tokens before the query that one layer's head carries to it, or INT_MAX. */
static int reach_of_head(Pattern pattern)
{
    return pattern.kind == PATTERN_WINDOW ? pattern.size - 1 : INT_MAX;
}

int pattern_reach(const Pattern *patterns, int layers, int heads)
{
    int64_t back = 0; /* each layer adds the furthest reach of its heads */
    for (int l = 0; l < layers; l++) {
        int furthest = 0;
        for (int h = 0; h < heads; h++) {
            const int reach = patterns ? reach_of_head(ROW(patterns, l, heads)[h]) : INT_MAX;
            furthest = max_int(furthest, reach);
        }
        if (furthest == INT_MAX)
            return REACH_ALL;
        back += furthest;
    }
    return (int)min_int64(back + 1, INT_MAX);
}

const char *pattern_text(Pattern pattern, char text[PATTERN_TEXT])
{
    switch (pattern.kind) {
    case PATTERN_CAUSAL: snprintf(text, PATTERN_TEXT, "all"); break;
    case PATTERN_WINDOW: snprintf(text, PATTERN_TEXT, "window %d", pattern.size); break;
    case PATTERN_FULL: snprintf(text, PATTERN_TEXT, "full"); break;
    }
    return text;
}
