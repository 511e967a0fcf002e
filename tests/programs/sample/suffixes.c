/* suffixes.c: how often a text has some tokens, and after which of their ends it goes on, as brute
 * force counts it. */

#include "programs/sample/score.h"
#include "tests/helpers/test.h"
#include "tests/helpers/corpora.h"

enum { LONGEST = 6, V = 8 };

/* By comparing at each place; if `followed`, the end of the text does not count. */
static size_t brute(const int *text, int all, const int *tokens, int count, bool followed)
{
    size_t times = 0;
    for (int at = 0; at < all && at + count + followed <= all; at++)
        times += !memcmp(text + at, tokens, (size_t)count * sizeof *tokens);
    return times;
}

static void check(const Suffixes *s, const int *text, const int *tokens, int count)
{
    const int all = (int)s->ids->count;
    size_t times;
    int longest = count;
    assert_int_equal(suffixes_count(s, tokens, count), brute(text, all, tokens, count, false));
    while (longest && !brute(text, all, tokens + count - longest, longest, true))
        longest--;
    assert_int_equal(suffixes_longest(s, tokens, count, &times), longest);
    assert_int_equal(times, longest ? brute(text, all, tokens + count - longest, longest, true)
                                    : s->ids->count);
}

/* All runs of tokens that the text has, and the same with one token changed. */
TEST(counts_are_those_of_brute_force)
{
    for (int stream = 0; stream < 2; stream++) {
        FREED_BY(corpus_free) Corpus c = corpus_made_up(20, 9, stream);
        FREED_BY(suffixes_free) Suffixes s = suffixes_new(&c, LONGEST);
        const int all = (int)c.ids.count;
        int *text = corpus_tokens(&c), part[LONGEST];
        for (int from = 0; from < all; from++)
            for (int count = 1; count <= LONGEST && from + count <= all; count++)
                for (int changed = 0; changed < count; changed++) {
                    check(&s, text, text + from, count);
                    memcpy(part, text + from, (size_t)count * sizeof *part);
                    part[changed] = (part[changed] + 1) % V;
                    check(&s, text, part, count);
                }
        check(&s, text, text, 0);
        free(text);
    }
}

/* One token, over and over: each place has the tokens of all that come later. */
TEST(a_text_may_repeat_itself)
{
    FREED_BY(corpus_free) Corpus c = corpus_of_string("a a a a b a a a a", true, false);
    FREED_BY(suffixes_free) Suffixes s = suffixes_new(&c, LONGEST);
    AUTOFREE int *text = corpus_tokens(&c);
    for (int from = 0; from < 9; from++)
        for (int count = 0; count <= LONGEST && from + count <= 9; count++)
            check(&s, text, text + from, count);
}
