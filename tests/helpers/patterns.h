/* patterns.h: constant patterns for tests, and the plain definition of what they attend to. W(3) is
 * a window of 3, W(0) is all. */
#ifndef PULGA_TESTS_PATTERNS_H
#define PULGA_TESTS_PATTERNS_H

#include <stdlib.h>

#include "model/shape/pattern.h"

#define W(size)                                               \
    {                                                         \
        (size) ? PATTERN_WINDOW : PATTERN_ALL, (int)(size), 0 \
    }
#define STRIDED(size)              \
    {                              \
        PATTERN_STRIDED, (size), 0 \
    }
#define FIXED(size)              \
    {                            \
        PATTERN_FIXED, (size), 0 \
    }
#define SUMMARY(size, last)             \
    {                                   \
        PATTERN_SUMMARY, (size), (last) \
    }

static inline bool pattern_attends(Pattern p, int query, int key, int prefix)
{
    if (key > query && (query >= prefix || key >= prefix))
        return false;
    switch (p.kind) {
    case PATTERN_ALL: return true;
    case PATTERN_WINDOW: return abs(query - key) < p.size;
    case PATTERN_STRIDED: return abs(query - key) % p.size == 0;
    case PATTERN_FIXED: return key / p.size == query / p.size;
    case PATTERN_SUMMARY: return key == query || key % p.size >= p.size - p.last;
    }
    return false;
}

#endif
