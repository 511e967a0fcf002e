/* counts.c: the algorithm of Knuth, Morris and Pratt. The text is read once, whatever the tokens
 * are: after a mismatch the search goes on from the longest beginning of them that still
 * matches. Tokens with gaps are compared at each place. */
#include "counts.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "text/subwords/bpe.h"

void put_symbols(int **symbols, const Tokenizer *t, int id)
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
} TextSearch;

/* Reads one more symbol of the text. Returns whether all symbols are matched now. */
static bool search_step(TextSearch *s, int symbol)
{
    if (s->matched == s->count)
        s->matched = s->shorter[s->matched];
    while (s->matched >= 0 && s->symbols[s->matched] != symbol)
        s->matched = s->shorter[s->matched];
    return ++s->matched == s->count;
}

/* Finds `shorter` by searching for the symbols in themselves, from the second one on: what is
 * matched after i of them is the beginning that is also their end. */
static TextSearch search_new(const Tokenizer *t, const int *tokens, int count)
{
    TextSearch s = {0};
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

/* The token that the text continues with after the first `read` symbols of its token `at`, which
 * has `count`; -1 if there is none. */
static int continuation(const Corpus *corpus, const Tokenizer *t, size_t at, ptrdiff_t read,
                        ptrdiff_t count)
{
    if (read < count)
        return tokenizer_find(t, tokenizer_word(t, ids_at(&corpus->ids, at)) + read);
    return at + 1 < corpus->ids.count ? ids_at(&corpus->ids, at + 1) : -1;
}

/* Called after each match: the text goes on after the first `read` symbols of its token `at`, which
 * has `count`. Returns whether to search on. */
typedef bool Visit(void *context, size_t at, ptrdiff_t read, ptrdiff_t count);

static void visit_matches(const Corpus *corpus, const Tokenizer *t, const int *tokens, int count,
                          Visit *visit, void *context)
{
    TextSearch search = search_new(t, tokens, count);
    int *symbols = NULL; /* stb_ds array */
    bool on = true;
    for (size_t at = 0; on && at < corpus->ids.count; at++) {
        arrsetlen(symbols, 0);
        put_symbols(&symbols, t, ids_at(&corpus->ids, at));
        for (ptrdiff_t i = 0; on && i < arrlen(symbols); i++)
            if (search_step(&search, symbols[i]))
                on = visit(context, at, i + 1, arrlen(symbols));
    }
    arrfree(symbols);
    arrfree(search.symbols);
    free(search.shorter);
}

/* What is counted, and where. */
typedef struct {
    const Corpus *corpus;
    const Tokenizer *tokenizer;
    size_t *next, sum;
    const char *before; /* of words */
    WordCounts words;   /* likewise */
} Tally;

static bool count_token(void *context, size_t at, ptrdiff_t read, ptrdiff_t count)
{
    Tally *c = context;
    const int id = continuation(c->corpus, c->tokenizer, at, read, count);
    if (id >= 0) {
        c->next[id]++;
        c->sum++;
    }
    return true;
}

size_t counts_next(const Corpus *corpus, const Tokenizer *t, size_t *next, int V, const int *tokens,
                   int count)
{
    Tally c = {.corpus = corpus, .tokenizer = t, .next = next};
    memset(next, 0, sizeof *next * (size_t)V);
    visit_matches(corpus, t, tokens, count, count_token, &c);
    return c.sum;
}

/* Appends the bytes that the text goes on with, up to a special token, to an stb_ds array. */
static void put_text(const Tally *c, char **bytes, size_t at, ptrdiff_t read)
{
    enum { LONGEST = 200 }; /* a longer word is cut */
    const size_t most = arrlenu(*bytes) + LONGEST;
    for (; at < c->corpus->ids.count && arrlenu(*bytes) < most; at++, read = 0) {
        const int id = ids_at(&c->corpus->ids, at);
        if (!tokenizer_is_part(c->tokenizer, id) && !read)
            return;
        const char *rest =
            tokenizer_is_text(c->tokenizer, id) ? tokenizer_word(c->tokenizer, id) + read : "";
        memcpy(arraddnptr(*bytes, strlen(rest)), rest, strlen(rest));
    }
}

/* If no text follows, it is a special token. */
static bool count_word(void *context, size_t at, ptrdiff_t read, ptrdiff_t count)
{
    Tally *c = context;
    const size_t before = strlen(c->before);
    char *bytes = NULL;           /* stb_ds array */
    arrsetcap(bytes, before + 1); /* memcpy() must not get NULL, even if nothing comes before */
    memcpy(arraddnptr(bytes, before), c->before, before);
    put_text(c, &bytes, at, read);
    const char *end =
        pattern_word_after(bytes, before, bytes + arrlen(bytes), c->tokenizer->pattern);
    const ptrdiff_t size = end - bytes - (ptrdiff_t)before;
    const int id = continuation(c->corpus, c->tokenizer, at, read, count);
    const char *word = size ? bytes + before : id >= 0 ? tokenizer_word(c->tokenizer, id) : NULL;
    if (word) {
        word_counts_add(&c->words, word, size ? (size_t)size : strlen(word), 1);
        c->sum++;
    }
    arrfree(bytes);
    return true;
}

size_t counts_next_words(const Corpus *corpus, const Tokenizer *t, const int *tokens, int count,
                         const char *before, WordCounts *times)
{
    Tally c = {.corpus = corpus, .tokenizer = t, .before = before, .words = word_counts_new()};
    visit_matches(corpus, t, tokens, count, count_word, &c);
    *times = c.words;
    return c.sum;
}

static bool note_match(void *found, size_t at, ptrdiff_t read, ptrdiff_t count)
{
    (void)at, (void)read, (void)count;
    *(bool *)found = true;
    return false;
}

bool counts_has(const Corpus *corpus, const Tokenizer *t, const int *tokens, int count)
{
    bool found = false;
    visit_matches(corpus, t, tokens, count, note_match, &found);
    return found;
}

/* Whether the text has these tokens from a place on, with any token in the gaps, but not the end or
 * the beginning of a line. */
static bool matches(const Corpus *corpus, size_t at, const int *tokens, int count, int gap)
{
    const Objective *o = &corpus->objective;
    for (int i = 0; i < count; i++) {
        const int id = ids_at(&corpus->ids, at + (size_t)i);
        if (tokens[i] == gap ? id == o->bos || id == o->eos : id != tokens[i])
            return false;
    }
    return true;
}

size_t counts_gaps(const Corpus *corpus, size_t *times, int V, const int *tokens, int count,
                   int gap)
{
    size_t sum = 0, gaps = 0;
    for (int i = 0; i < count; i++)
        gaps += tokens[i] == gap;
    memset(times, 0, sizeof *times * gaps * (size_t)V);
    for (size_t at = 0; at + (size_t)count <= corpus->ids.count; at++) {
        if (!matches(corpus, at, tokens, count, gap))
            continue;
        size_t *row = times;
        for (int i = 0; i < count; i++)
            if (tokens[i] == gap) {
                row[ids_at(&corpus->ids, at + (size_t)i)]++;
                row += V;
            }
        sum++;
    }
    return sum;
}
