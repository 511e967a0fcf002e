/* pattern.c: the ranges of keys of each kind of pattern, and what follows from them. A new kind
 * needs a case in each switch; the compiler warns about those that are missing. */
#include "pattern.h"

#include <stdint.h>
#include <stdio.h>

#include "base/base.h"

Pattern pattern_window(int size)
{
    return size ? (Pattern){PATTERN_WINDOW, size} : (Pattern){PATTERN_CAUSAL, 0};
}

int pattern_window_size(Pattern pattern)
{
    switch (pattern.kind) {
    case PATTERN_WINDOW: return pattern.size;
    case PATTERN_CAUSAL:
    case PATTERN_FULL: break;
    }
    return 0;
}

Pattern *patterns_of_windows(const int *windows, int count, int layers, int heads)
{
    bool all_causal = true;
    for (int i = 0; i < count; i++)
        all_causal &= !windows[i];
    if (all_causal)
        return NULL;
    const int all = layers * heads;
    Pattern *patterns = memory_new((size_t)all, sizeof *patterns, "the attention patterns");
    for (int i = 0; i < all; i++)
        patterns[i] = pattern_window(windows[i % count]);
    return patterns;
}

Pattern pattern_at(const Pattern *patterns, int i)
{
    return patterns ? patterns[i] : (Pattern){PATTERN_CAUSAL, 0};
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
    switch (pattern.kind) {
    case PATTERN_WINDOW: return (int)min_int64((int64_t)pattern.size + queries - 1, length);
    case PATTERN_CAUSAL:
    case PATTERN_FULL: break;
    }
    return length;
}

/* How many tokens back one layer's head carries information; REACH_ALL if that has no bound. */
static int back_of_head(Pattern pattern)
{
    switch (pattern.kind) {
    case PATTERN_WINDOW: return pattern.size - 1;
    case PATTERN_CAUSAL:
    case PATTERN_FULL: break;
    }
    return REACH_ALL;
}

int pattern_reach(const Pattern *patterns, int layers, int heads)
{
    int64_t back = 0; /* each layer adds that of the head that goes back furthest */
    for (int l = 0; l < layers; l++) {
        int furthest = 0;
        for (int h = 0; h < heads; h++)
            furthest = max_int(furthest, back_of_head(pattern_at(patterns, l * heads + h)));
        back += furthest;
    }
    return (int)min_int64(back + 1, REACH_ALL);
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
