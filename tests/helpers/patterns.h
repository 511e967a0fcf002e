/* patterns.h: constant patterns for tests. W(3) is a window of 3, W(0) is causal. */
#ifndef PULGA_TESTS_PATTERNS_H
#define PULGA_TESTS_PATTERNS_H

#include "model/pattern.h"

#define W(size)                                               \
    {                                                         \
        (size) ? PATTERN_WINDOW : PATTERN_CAUSAL, (int)(size) \
    }

#endif
