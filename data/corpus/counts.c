/* counts.c: the algorithm of Knuth, Morris and Pratt. The text is read once, whatever the tokens
 * are: after a mismatch the search goes on from the longest beginning of them that still
 * matches. */
#include "counts.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* For the tokens a b a c, shorter is -1 0 0 1 0: if something other than c follows a b a, the last
 * a may be the first of a new match. */
typedef struct {
    const int *tokens;
    int count;
    int *shorter; /* (count + 1) of the first i tokens: the length of their longest proper beginning
                     that is also their end; -1 for i = 0 */
    int matched;  /* how many of the tokens the text has had up to here */
} Search;

/* Reads one more token of the text. Returns whether all tokens are matched now. */
static bool search_step(Search *s, int token)
{
    if (s->matched == s->count)
        s->matched = s->shorter[s->matched];
    while (s->matched >= 0 && s->tokens[s->matched] != token)
        s->matched = s->shorter[s->matched];
    return ++s->matched == s->count;
}

/* Finds `shorter`, which the caller frees, by searching for the tokens in themselves, from the
 * second one on: what is matched after i of them is the beginning that is also their end. */
static Search search_new(const int *tokens, int count)
{
    Search s = {tokens, count, memory_new((size_t)count + 1, sizeof(int), "a search"), 0};
    s.shorter[0] = -1;
    for (int i = 1; i < count; i++) {
        search_step(&s, tokens[i]);
        s.shorter[i + 1] = s.matched;
    }
    s.matched = 0;
    return s;
}

size_t counts_next(const Corpus *corpus, size_t *next, int V, const int *tokens, int count)
{
    Search search = search_new(tokens, count);
    size_t sum = 0;
    memset(next, 0, sizeof *next * (size_t)V);
    for (ptrdiff_t at = 0; at + 1 < arrlen(corpus->tokens); at++)
        if (search_step(&search, corpus->tokens[at])) {
            next[corpus->tokens[at + 1]]++;
            sum++;
        }
    free(search.shorter);
    return sum;
}

bool counts_has(const Corpus *corpus, const int *tokens, int count)
{
    Search search = search_new(tokens, count);
    bool found = !count;
    for (ptrdiff_t at = 0; !found && at < arrlen(corpus->tokens); at++)
        found = search_step(&search, corpus->tokens[at]);
    free(search.shorter);
    return found;
}
