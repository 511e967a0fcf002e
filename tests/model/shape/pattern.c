/* pattern.c: every pattern against the plain definition of which key a query attends to. */
#include "tests/helpers/close.h"

#include <limits.h>

#include "base/base.h"
#include "tests/helpers/patterns.h"

static const Pattern PATTERNS[] = {W(0),
                                   W(1),
                                   W(2),
                                   W(5),
                                   W(40),
                                   W(INT_MAX),
                                   STRIDED(1),
                                   STRIDED(3),
                                   STRIDED(INT_MAX),
                                   FIXED(1),
                                   FIXED(4),
                                   FIXED(INT_MAX),
                                   SUMMARY(1, 1),
                                   SUMMARY(4, 1),
                                   SUMMARY(5, 2),
                                   SUMMARY(3, 3),
                                   SUMMARY(64, 64),
                                   SUMMARY(INT_MAX, 64),
                                   SUMMARY(INT_MAX, 2)};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS, LONGEST = 20 };

#define EACH_CASE(p, length, prefix)                           \
    for (int(p) = 0; (p) < PATTERN_COUNT; (p)++)               \
        for (int(length) = 1; (length) <= LONGEST; (length)++) \
            for (int(prefix) = 0; (prefix) <= (length); (prefix) += 3)

static KeyRange range(int p, int query, int prefix, int number)
{
    return pattern_range(PATTERNS[p], query, key_limit(query, prefix), number);
}

/* How often a query's ranges hold each key. */
static void count_keys(int *times, int p, int query, int prefix, int length)
{
    for (int number = 0; number < pattern_ranges(PATTERNS[p]); number++) {
        const KeyRange keys = range(p, query, prefix, number);
        int count = 0;
        for (int64_t key = keys.from; key < keys.end; key += keys.step, count++) {
            assert_true(key >= 0 && key < length);
            times[key]++;
        }
        assert_int_equal(key_count(keys), count);
    }
}

TEST(ranges_hold_each_key_of_the_definition_once)
{
    EACH_CASE(p, length, prefix)
    for (int query = 0; query < length; query++) {
        int times[LONGEST] = {0};
        bool keys[LONGEST] = {0};
        count_keys(times, p, query, prefix, length);
        pattern_mark(PATTERNS[p], query, key_limit(query, prefix), keys);
        for (int key = 0; key < length; key++) {
            assert_int_equal(times[key], pattern_attends(PATTERNS[p], query, key, prefix));
            assert_int_equal(keys[key], times[key]);
        }
    }
}

TEST(no_strip_has_more_keys_than_it_was_said)
{
    EACH_CASE(p, length, prefix)
    {
        const int64_t step = pattern_step(PATTERNS[p]);
        for (int queries = 1; queries < 8; queries++)
            for (int query = 0; query + (queries - 1) * step < length; query++) {
                const int last = query + (int)((queries - 1) * step);
                int keys = 0;
                for (int number = 0; number < pattern_ranges(PATTERNS[p]); number++) {
                    KeyRange all = range(p, query, prefix, number);
                    all.end = range(p, last, prefix, number).end;
                    keys += key_count(all);
                }
                assert_true(keys <= pattern_most_keys(PATTERNS[p], length, queries));
            }
    }
    assert_int_equal(pattern_most_keys(PATTERNS[0], LONGEST, 4), LONGEST);
    assert_int_equal(pattern_most_keys(PATTERNS[7], 4096, 32), (4096 + 2) / 3);
    assert_true(pattern_most_keys(PATTERNS[3], 4096, 32) < 42);
    assert_int_equal(pattern_most_keys(PATTERNS[14], 4096, 32), 2 * 820 + 32);
}

/* Marks the tokens whose embedding can arrive at a query of layer `layer`, head by head. */
static void mark(bool *arrives, const Pattern *patterns, int layer, int heads, int query,
                 int length, int prefix)
{
    arrives[query] = true;
    for (int h = 0; layer >= 0 && h < heads; h++)
        for (int key = 0; key < length; key++)
            if (pattern_attends(patterns[layer * heads + h], query, key, prefix))
                mark(arrives, patterns, layer - 1, heads, key, length, prefix);
}

TEST(the_reach_is_what_arrives_through_all_layers)
{
    enum { LAYERS = 3, HEADS = 2, LENGTH = 12 };
    static const char *const lists[] = {"1",
                                        "2,1,1,3,1,1",
                                        "4,3,1,1,2,6",
                                        "strided:3,1",
                                        "strided:4,fixed:4",
                                        "fixed:3",
                                        "fixed:4,summary:4:1",
                                        "summary:5:2,1,2,1,strided:5,1",
                                        "1,1,all,1,1,1"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int prefix = 0; prefix <= LENGTH; prefix += 4) {
            Pattern *patterns;
            assert_true(patterns_parse(&patterns, lists[i], LAYERS, HEADS));
            for (int query = 0; query < LENGTH; query++) {
                bool arrives[LENGTH] = {0}, reach[LENGTH] = {0};
                mark(arrives, patterns, LAYERS - 1, HEADS, query, LENGTH, prefix);
                pattern_reach(patterns, LAYERS, HEADS, query, prefix, reach);
                assert_memory_equal(reach, arrives, sizeof arrives);
            }
            free(patterns);
        }
    for (int query = 0; query < LENGTH; query++) {
        bool reach[LENGTH] = {0};
        pattern_reach(NULL, 1, HEADS, query, 5, reach);
        for (int i = 0; i < LENGTH; i++)
            assert_int_equal(reach[i], i < key_limit(query, 5));
    }
}

/* ---- Lists ---- */

/* A source of 2 tokens instead of none lets only the first of the queries 0 to 5 see more; one of 3
 * tokens also the second. The last one notices it in a second layer. */
TEST(the_first_tokens_tell_two_sources_apart)
{
    const Pattern all = W(0);
    assert_true(pattern_tells_apart(&all, 1, 1, 0, 0, 2));
    assert_false(pattern_tells_apart(&all, 1, 1, 1, 0, 2));
    assert_true(pattern_tells_apart(&all, 1, 1, 1, 0, 3));
    assert_false(pattern_tells_apart(&all, 1, 1, 5, 0, 3));
    assert_true(pattern_tells_apart((Pattern[]){all, all}, 2, 1, 5, 0, 2));
    assert_true(pattern_tells_apart((Pattern[]){all, all}, 2, 1, 5, 2, 3));
}

TEST(a_list_repeats_over_the_heads)
{
    static const char list[] = "1,all,strided:12,fixed:3,summary:4:2,0,2147483647";
    static const char *const read[] = {"window 1",    "all", "strided 12",       "fixed 3",
                                       "summary 4:2", "all", "window 2147483647"};
    Pattern *patterns;
    char text[PATTERN_TEXT];
    assert_int_equal(patterns_parse(&patterns, list, 3, 4), 7);
    for (int i = 0; i < 12; i++)
        assert_string_equal(pattern_text(pattern_at(patterns, i), text), read[i % 7]);
    char *again = patterns_list(patterns, 7);
    assert_string_equal(again, "1,all,strided:12,fixed:3,summary:4:2,all,2147483647");
    free(again);
    free(patterns);
    /* All of them all: the plain GPT-2, however it is written. */
    static const char *const plain[] = {"all", "0", "0,all"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(patterns_parse(&patterns, plain[i], 2, 2), 1 + i / 2);
        assert_null(patterns);
    }
    assert_int_equal(pattern_at(NULL, 3).kind, PATTERN_ALL);
}

TEST(what_is_no_list_is_refused)
{
    /* separated by bars; the first is empty */
    char all[] = "|,|1,|,1|1,,2|-1|+1| 1|1 |01|1.5|2147483648|window:3|strided|strided:|strided:0|"
                 "strided:3:1|fixed:x|fixed: 3|summary:4|summary:4:|summary:4:0|summary:4:5|"
                 "summary:65:65|ALL|all:3|allall|99999999999999999999";
    for (char *rest = all, *wrong; (wrong = strsep(&rest, "|"));) {
        Pattern *patterns;
        if (patterns_parse(&patterns, wrong, 2, 2))
            fail_msg("'%s' was read as a list of patterns", wrong);
        assert_null(patterns);
    }
}
