/* tables.c: what is printed about heads, line by line: columns, blanks for keys that a query cannot
 * attend to, shades, and what is printed if it does not fit. */
#include "tests/helpers/close.h"

#include "programs/attend/tables.h"
#include "tests/helpers/maps.h"

static const Screen IN_A_PIPE = {false, "", ""};

static char *tables_of(const Heads *heads)
{
    capture_begin();
    tables_show(heads, &IN_A_PIPE);
    return capture_end();
}

static void assert_tables(const Heads *heads, const char *wanted)
{
    char *text = tables_of(heads);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_summary(const Heads *heads, const char *wanted)
{
    capture_begin();
    tables_summarise(heads);
    char *text = capture_end();
    assert_string_equal(text, wanted);
    free(text);
}

static const char *const WORDS[] = {"[bos]", "un", "gato", "come"};

TEST(every_range_has_its_columns)
{
    static const Real map[] = {1, 0, 0, 0, 0, 1, 0, 0, 0.96, 0, 0.04, 0, 0, 0.3, 0, 0.7};
    Heads heads = maps_new(4, 1, (const Pattern[]){STRIDED(2)}, WORDS);
    memcpy(heads.maps, map, sizeof map);
    setenv("COLUMNS", "80", 1);
    assert_tables(&heads, "\nlayer 1, head 1\n"
                          "       [bos]     un   gato   come\n"
                          "[bos]    100█\n"
                          "   un           100█\n"
                          " gato     96█            4\n"
                          " come            30▒           70▓\n");
    setenv("COLUMNS", "16", 1);
    assert_tables(&heads, "\nlayer 1, head 1\n"
                          "[bos] ██\n"
                          "   un   ██\n"
                          " gato ██  ··\n"
                          " come   ▒▒  ▓▓\n"
                          "\n·· under 5%, ░░ under 25%, ▒▒ under 50%, ▓▓ under 75%, ██ more\n"
                          "the numbers do not fit; -o attention.html shows them\n");
    setenv("COLUMNS", "10", 1);
    assert_tables(
        &heads, "\nlayer 1, head 1\n"
                " un ██\n"
                "ga…   ··\n"
                "co… ▒▒  ▓▓\n"
                "\n·· under 5%, ░░ under 25%, ▒▒ under 50%, ▓▓ under 75%, ██ more\n"
                "only the last 3 of 4 tokens fit, without numbers; -o attention.html shows all\n");
    heads_free(&heads);
}

TEST(keys_after_the_query_have_columns_too)
{
    Heads heads = maps_new(2, 1, (const Pattern[]){W(0)}, WORDS);
    maps_see_prefix(&heads, 0, 2);
    memcpy(heads.maps, (const Real[]){0.25, 0.75, 0.5, 0.5}, 4 * sizeof(Real));
    setenv("COLUMNS", "80", 1);
    assert_tables(&heads, "\nlayer 1, head 1\n"
                          "       [bos]     un\n"
                          "[bos]     25▒    75█\n"
                          "   un     50▓    50▓\n");
    heads_free(&heads);
}

/* [bos] el | the dog, of which the first two see each other. */
TEST(a_pair_has_its_sides_marked)
{
    static const char *const pair[] = {"[bos]", "el", "[sep]", "the", "dog"};
    Heads heads = maps_new(5, 1, (const Pattern[]){W(0)}, pair);
    heads.source = heads.prefix = 3;
    maps_see_prefix(&heads, 0, 3);
    memcpy(heads.maps,
           (const Real[]){0.5, 0.25, 0.25, 0,   0,   0,   0, 1,    0,   0,    0.96, 0,   0.04,
                          0,   0,    0.3,  0.3, 0.3, 0.1, 0, 0.02, 0.9, 0.04, 0.02, 0.02},
           25 * sizeof(Real));
    setenv("COLUMNS", "80", 1);
    assert_tables(&heads, "\nlayer 1, head 1\n"
                          "                      source │ target\n"
                          "        [bos]     el  [sep]  │   the    dog\n"
                          "source ──────────────────────┼──────────────\n"
                          " [bos]     50▓    25▒    25▒ │\n"
                          "    el      0      0    100█ │\n"
                          " [sep]     96█     0      4  │\n"
                          "target ──────────────────────┼──────────────\n"
                          "   the     30▒    30▒    30▒ │    10░\n"
                          "   dog      2     90█     4  │     2      2\n");
    setenv("COLUMNS", "19", 1); /* shades only */
    char *text = tables_of(&heads);
    assert_non_null(strstr(text, "\nsource ───────┼────\n [bos] ▓▓▒▒▒▒ │\n    el ····██ │\n"));
    assert_non_null(strstr(text, "\ntarget ───────┼────\n   the ▒▒▒▒▒▒ │░░\n"));
    free(text);
    setenv("COLUMNS", "12", 1); /* of the source nothing is left */
    text = tables_of(&heads);
    assert_null(strstr(text, "target"));
    assert_null(strstr(text, "│"));
    free(text);
    heads_free(&heads);
}

TEST(a_summary_tells_of_the_next_token_if_it_is_seen)
{
    Heads heads = maps_new(2, 1, (const Pattern[]){W(0)}, WORDS);
    maps_see_prefix(&heads, 0, 2);
    heads.prefix = 2;
    memcpy(heads.maps, (const Real[]){0.25, 0.75, 0.5, 0.5}, 4 * sizeof(Real));
    assert_summary(&heads,
                   "layer  head  entropy (bits)  mean distance  itself  previous  next  [bos]\n"
                   "    1     1            0.91           0.62     38%       50%   75%    50%\n");
    heads_free(&heads);
}

TEST(a_summary_names_patterns_if_there_are_any)
{
    Heads heads = maps_new(2, 2, (const Pattern[]){W(0), W(1)}, WORDS);
    memcpy(heads.maps, (const Real[]){1, 0, 0.5, 0.5, 1, 0, 0, 1}, 8 * sizeof(Real));
    assert_summary(
        &heads,
        "layer  head     pattern  entropy (bits)  mean distance  itself  previous  [bos]\n"
        "    1     1         all            0.50           0.25     75%       50%    50%\n"
        "    1     2    window 1            0.00           0.00    100%        0%     0%\n");
    heads.head[1].pattern = (Pattern)SUMMARY(512, 10);
    assert_summary(
        &heads,
        "layer  head         pattern  entropy (bits)  mean distance  itself  previous  [bos]\n"
        "    1     1             all            0.50           0.25     75%       50%    50%\n"
        "    1     2  summary 512:10            0.00           0.00    100%        0%     0%\n");
    heads.heads = heads.count = 1;
    heads.begun = false;
    assert_summary(&heads, "layer  head  entropy (bits)  mean distance  itself  previous\n"
                           "    1     1            0.50           0.25     75%       50%\n");
    heads.heads = heads.count = 2;
    heads_free(&heads);
}
