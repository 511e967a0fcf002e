/* counts.c: the algorithm of Knuth, Morris and Pratt. The text is read once, whatever the tokens
 * are: after a mismatch the search goes on from the longest beginning of them that still
 * matches. */
#include "counts.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* What is compared, of one token: its id, or the bytes of a subword. A special token among subwords
 * is a number beyond all bytes. */
static void put_symbols(int **symbols, const Tokenizer *t, int id)
{
    if (t->kind != TOKENIZER_BPE)
        arrput(*symbols, id);
    else if (!tokenizer_is_text(t, id))
        arrput(*symbols, 256 + id);
    else
        for (const char *at = tokenizer_word(t, id); *at; at++)
            arrput(*symbols, (unsigned char)*at);
}

/* For the symbols a b a c, shorter is -1 0 0 1 0: if something other than c follows a b a, the last
 * a may be the first of a new match. */
typedef struct {
    int *symbols; /* stb_ds array: those looked for */
    int count;
    int *shorter; /* (count + 1) of the first i symbols: the length of their longest proper
                     beginning that is also their end; -1 for i = 0 */
    int matched;  /* how many of the symbols the text has had up to here */
} Search;

/* Reads one more symbol of the text. Returns whether all symbols are matched now. */
static bool search_step(Search *s, int symbol)
{
    if (s->matched == s->count)
        s->matched = s->shorter[s->matched];
    while (s->matched >= 0 && s->symbols[s->matched] != symbol)
        s->matched = s->shorter[s->matched];
    return ++s->matched == s->count;
}

/* Finds `shorter` by searching for the symbols in themselves, from the second one on: what is
 * matched after i of them is the beginning that is also their end. */
static Search search_new(const Tokenizer *t, const int *tokens, int count)
{
    Search s = {0};
    for (int i = 0; i < count; i++)
        put_symbols(&s.symbols, t, tokens[i]);
    s.count = (int)arrlen(s.symbols);
    s.shorter = memory_new((size_t)s.count + 1, sizeof(int), "a search");
    s.shorter[0] = -1;
    for (int i = 1; i < s.count; i++) {
        search_step(&s, s.symbols[i]);
        s.shorter[i + 1] = s.matched;
    }
    s.matched = 0;
    return s;
}

static void search_free(Search *s)
{
    arrfree(s->symbols);
    free(s->shorter);
}

/* The token that the text continues with after the first `read` symbols of its token `at`, which has
 * `count`; -1 if there is none. */
static int continuation(const Corpus *corpus, const Tokenizer *t, size_t at, ptrdiff_t read,
                        ptrdiff_t count)
{
    if (read < count)
        return tokenizer_find(t, tokenizer_word(t, ids_at(&corpus->ids, at)) + read);
    return at + 1 < corpus->ids.count ? ids_at(&corpus->ids, at + 1) : -1;
}

size_t counts_next(const Corpus *corpus, const Tokenizer *t, size_t *next, int V, const int *tokens,
                   int count)
{
    Search search = search_new(t, tokens, count);
    int *symbols = NULL; /* stb_ds array */
    size_t sum = 0;
    memset(next, 0, sizeof *next * (size_t)V);
    for (size_t at = 0; at < corpus->ids.count; at++) {
        arrsetlen(symbols, 0);
        put_symbols(&symbols, t, ids_at(&corpus->ids, at));
        for (ptrdiff_t i = 0; i < arrlen(symbols); i++) {
            if (!search_step(&search, symbols[i]))
                continue;
            const int id = continuation(corpus, t, at, i + 1, arrlen(symbols));
            if (id >= 0) {
                next[id]++;
                sum++;
            }
        }
    }
    arrfree(symbols);
    search_free(&search);
    return sum;
}

bool counts_has(const Corpus *corpus, const Tokenizer *t, const int *tokens, int count)
{
    Search search = search_new(t, tokens, count);
    int *symbols = NULL; /* stb_ds array */
    bool found = !search.count;
    for (size_t at = 0; !found && at < corpus->ids.count; at++) {
        arrsetlen(symbols, 0);
        put_symbols(&symbols, t, ids_at(&corpus->ids, at));
        for (ptrdiff_t i = 0; !found && i < arrlen(symbols); i++)
            found = search_step(&search, symbols[i]);
    }
    arrfree(symbols);
    search_free(&search);
    return found;
}
