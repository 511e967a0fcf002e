/* pattern.c: every pattern against the plain definition of which key a query attends to. */
#include "tests/helpers/close.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model/pattern.h"

static const Pattern PATTERNS[] = {
    {PATTERN_CAUSAL, 0},  {PATTERN_WINDOW, 1},       {PATTERN_WINDOW, 2}, {PATTERN_WINDOW, 5},
    {PATTERN_WINDOW, 40}, {PATTERN_WINDOW, INT_MAX}, {PATTERN_FULL, 0}};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS, LONGEST = 20 };

/* The definition. */
static bool attends(Pattern pattern, int query, int key)
{
    switch (pattern.kind) {
    case PATTERN_CAUSAL: return key <= query;
    case PATTERN_WINDOW: return key <= query && query - key < pattern.size;
    case PATTERN_FULL: return true;
    }
    return false;
}

static void ranges_hold_exactly_the_keys_of_the_definition(void **state)
{
    (void)state;
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (int length = 1; length <= LONGEST; length++)
            for (int query = 0; query < length; query++) {
                int key = 0;
                for (KeyRange keys = {0}; pattern_next(PATTERNS[p], length, query, &keys);) {
                    assert_true(keys.from >= key && keys.from < keys.end && keys.end <= length);
                    for (; key < keys.from; key++)
                        assert_false(attends(PATTERNS[p], query, key));
                    for (; key < keys.end; key++)
                        assert_true(attends(PATTERNS[p], query, key));
                }
                for (; key < length; key++)
                    assert_false(attends(PATTERNS[p], query, key));
            }
}

static void a_span_is_the_smallest_range_over_its_queries(void **state)
{
    (void)state;
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (int queries = 1; queries < 8; queries++) {
            int largest = 0;
            for (int length = queries; length <= LONGEST; length++)
                for (int query = 0; query + queries <= length; query++) {
                    int from = length, end = 0;
                    for (int i = query; i < query + queries; i++)
                        for (int key = 0; key < length; key++)
                            if (attends(PATTERNS[p], i, key)) {
                                from = key < from ? key : from;
                                end = key + 1 > end ? key + 1 : end;
                            }
                    const KeyRange span = pattern_span(PATTERNS[p], length, query, queries);
                    assert_int_equal(span.from, from);
                    assert_int_equal(span.end, end);
                    largest = end - from > largest ? end - from : largest;
                }
            assert_int_equal(pattern_largest_span(PATTERNS[p], LONGEST, queries), largest);
        }
}

/* Marks the tokens whose embedding can arrive at a query of layer `layer`, head by head. */
static void mark(bool *arrives, const Pattern *patterns, int layer, int heads, int query)
{
    arrives[query] = true;
    for (int h = 0; layer >= 0 && h < heads; h++)
        for (int key = 0; key <= query; key++)
            if (attends(patterns[layer * heads + h], query, key))
                mark(arrives, patterns, layer - 1, heads, key);
}

static void the_reach_counts_what_arrives_through_all_layers(void **state)
{
    (void)state;
    enum { LAYERS = 3, HEADS = 2, QUERY = 14 };
    static const int windows[][LAYERS * HEADS] = {
        {1, 1, 1, 1, 1, 1}, {2, 1, 1, 3, 1, 1}, {4, 3, 1, 1, 2, 6}, {5, 5, 5, 5, 5, 5}};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        Pattern patterns[LAYERS * HEADS];
        bool arrives[QUERY + 1] = {0};
        int count = 0;
        for (int i = 0; i < LAYERS * HEADS; i++)
            patterns[i] = pattern_window(windows[w][i]);
        mark(arrives, patterns, LAYERS - 1, HEADS, QUERY);
        for (int i = 0; i <= QUERY; i++)
            count += arrives[i];
        assert_int_equal(pattern_reach(patterns, LAYERS, HEADS), count);
        patterns[3] = (Pattern){PATTERN_CAUSAL, 0};
        assert_int_equal(pattern_reach(patterns, LAYERS, HEADS), REACH_ALL);
        patterns[3] = (Pattern){PATTERN_FULL, 0};
        assert_int_equal(pattern_reach(patterns, LAYERS, HEADS), REACH_ALL);
    }
    const Pattern huge[] = {{PATTERN_WINDOW, INT_MAX - 1}, {PATTERN_WINDOW, INT_MAX - 1}};
    assert_int_equal(pattern_reach(huge, 2, 1), INT_MAX);
    assert_int_equal(pattern_reach(NULL, LAYERS, HEADS), REACH_ALL);
}

static void a_number_in_a_list_of_windows_is_a_pattern(void **state)
{
    (void)state;
    assert_true(pattern_equal(pattern_window(0), (Pattern){PATTERN_CAUSAL, 0}));
    assert_true(pattern_equal(pattern_window(8), (Pattern){PATTERN_WINDOW, 8}));
    assert_false(pattern_equal(pattern_window(8), pattern_window(7)));
    for (int size = 0; size < 5; size++)
        assert_int_equal(pattern_window_size(pattern_window(size)), size);
    char text[PATTERN_TEXT];
    assert_string_equal(pattern_text(pattern_window(0), text), "all");
    assert_string_equal(pattern_text(pattern_window(INT_MAX), text), "window 2147483647");
    assert_string_equal(pattern_text((Pattern){PATTERN_FULL, 0}, text), "full");
}

static void a_list_of_windows_repeats_over_the_heads(void **state)
{
    (void)state;
    const int windows[] = {1, 2, 0}, zeros[] = {0, 0};
    Pattern *patterns = patterns_of_windows(windows, 3, 2, 2);
    for (int i = 0; i < 4; i++) {
        assert_true(pattern_equal(patterns[i], pattern_window(windows[i % 3])));
        assert_true(pattern_equal(pattern_at(patterns, i), patterns[i]));
    }
    free(patterns);
    /* All causal: the plain GPT-2, however it is written. */
    assert_null(patterns_of_windows(NULL, 0, 2, 2));
    assert_null(patterns_of_windows(zeros, 1, 2, 2));
    assert_null(patterns_of_windows(zeros, 2, 2, 2));
    assert_true(pattern_equal(pattern_at(NULL, 3), pattern_window(0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_hold_exactly_the_keys_of_the_definition),
        cmocka_unit_test(a_span_is_the_smallest_range_over_its_queries),
        cmocka_unit_test(the_reach_counts_what_arrives_through_all_layers),
        cmocka_unit_test(a_number_in_a_list_of_windows_is_a_pattern),
        cmocka_unit_test(a_list_of_windows_repeats_over_the_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
