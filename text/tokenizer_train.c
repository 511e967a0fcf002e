/* tokenizer_train.c: the tokens of each chunk are counted by one thread. Which tokens were new to
 * it in which chunk is kept, so that at the end the order of first appearance is the text's,
 * whoever counted what. */
#include "tokenizer_train.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/parallel/threads.h"
#include "token_cache.h"

/* In bytes. Anything longer is not a word of any language: the text has no white space. */
enum { LONGEST_WORD = 1000 };

/* Words or characters in the order of their first appearance, of all chunks or of those that one
 * thread has counted. */
typedef struct {
    Vocabulary all;
    int64_t *counts; /* stb_ds array: of each id */
    TokenCache cache;
    int moved; /* how many were added to those of all chunks */
} Counted;

/* The thread that counted a chunk, and how many tokens it knew after it. */
typedef struct {
    int thread, known;
} CountedChunk;

struct TokenCounts {
    TokenizerRules rules;
    Counted *threads;     /* stb_ds array, of words and characters */
    CountedChunk *chunks; /* stb_ds array, likewise */
    WordCounts words;     /* of subwords */
    size_t size;          /* of all chunks of subwords, in bytes */
};

/* ---- Counting ---- */

static void count_token(Counted *c, Span token, int id, int64_t count)
{
    if (id >= 0) {
        assert(c->counts);
        c->counts[id] += count;
    } else {
        vocabulary_add(&c->all, token.begin, (size_t)(token.end - token.begin), false);
        arrput(c->counts, count);
    }
}

/* Returns NULL, or why the text cannot be read by words. */
static char *count_words(Counted *c, const Text *chunk, Span part)
{
    CutWord words[WORDS_AT_ONCE];
    int count;
    while ((count = token_cache_cut(&c->cache, false, PUNCTUATION_ALONE, &part,
                                    text_span(chunk).end, words)))
        for (int i = 0; i < count; i++) {
            const Span word = words[i].word;
            const size_t size = (size_t)(word.end - word.begin);
            if (size > LONGEST_WORD)
                return format_text(
                    _("%s: a word of %zu bytes, and %d are the most; --tokens char or "
                      "--tokens bpe reads any text"),
                    text_place(chunk, chunk->clean, word.begin), size, LONGEST_WORD);
            int id = -1;
            if (token_cache_has(&words[i]))
                id = *words[i].slot->ids;
            else if ((id = vocabulary_find(&c->all, word.begin, size)) >= 0)
                token_cache_put(&c->cache, &words[i], &id, 1);
            count_token(c, word, id, 1);
        }
    return NULL;
}

static void count_characters(Counted *c, Span part)
{
    for (Span character; part.begin < part.end;) {
        const int id = token_cache_character(&c->cache, &c->all, &part, &character);
        count_token(c, character, id, 1);
    }
}

static char *count_part(Counted *c, TokenizerKind kind, const Text *chunk, Span part)
{
    if (kind == TOKENIZER_WORD)
        return count_words(c, chunk, part);
    count_characters(c, part);
    return NULL;
}

static TextCut cut_of(TokenizerRules rules)
{
    return tokenizer_cut(&(Tokenizer){.stream = rules.stream, .objective = rules.objective});
}

/* Line ends, blank lines and the tabs of pairs are in no part: they get no id. */
static char *count_chunk(Counted *c, TokenizerRules rules, const Text *chunk)
{
    Span text = text_span(chunk);
    char *wrong = NULL;
    if (!c->cache.bits)
        c->cache = token_cache_new(rules.kind, 1, SIZE_MAX);
    for (Span part; !wrong && split_part(&text.begin, text.end, cut_of(rules), &part);)
        wrong = count_part(c, rules.kind, chunk, part);
    return wrong;
}

/* A thread counts its chunks in the order of the text. */
static void count_chunks(TokenCounts *t, const Text *chunks, int count)
{
    CountedChunk *counted = arraddnptr(t->chunks, (size_t)count);
    char **wrong = memory_new((size_t)count, sizeof *wrong, "counting");
    OMP(parallel for schedule(monotonic : dynamic) if (count > 1))
    for (int i = 0; i < count; i++) {
        const int thread = thread_index();
        wrong[i] = count_chunk(&t->threads[thread], t->rules, &chunks[i]);
        counted[i] = (CountedChunk){thread, t->threads[thread].all.count};
    }
    for (int i = 0; i < count; i++)
        if (wrong[i])
            die("%s", wrong[i]);
    free(wrong);
}

static void free_counted(Counted *c)
{
    vocabulary_free(&c->all);
    arrfree(c->counts);
    token_cache_free(&c->cache);
}

/* Adds the tokens of all threads, in the order of their first appearance in the text. */
static Counted add_up(TokenCounts *t)
{
    Counted all = {.all = vocabulary_new()};
    for (ptrdiff_t i = 0; i < arrlen(t->chunks); i++) {
        Counted *c = &t->threads[t->chunks[i].thread];
        for (; c->moved < t->chunks[i].known; c->moved++) {
            const char *word = vocabulary_word(&c->all, c->moved);
            const size_t size = strlen(word);
            count_token(&all, (Span){word, word + size}, vocabulary_find(&all.all, word, size),
                        c->counts[c->moved]);
        }
    }
    for (ptrdiff_t i = 0; i < arrlen(t->threads); i++)
        free_counted(&t->threads[i]);
    arrfree(t->threads);
    arrfree(t->chunks);
    return all;
}

/* What subwords are made of in a chunk that follows `before` bytes. */
static Span subword_part(const TokenizerRules *rules, size_t before, const Text *chunk)
{
    Span part = text_span(chunk);
    if (!rules->bytes || before + chunk->size <= rules->bytes)
        return part;
    const char *cut = part.begin + (before < rules->bytes ? rules->bytes - before : 0);
    part.end = cut;
    while (part.end > part.begin && cut - part.end < LONGEST_WORD && !strchr(" \n\t", *part.end))
        part.end--;
    const bool alone = part.end == part.begin || cut - part.end == LONGEST_WORD;
    if (alone) /* a text without spaces is cut between any two characters */
        for (part.end = cut; ((unsigned char)*part.end & 0xC0) == 0x80; part.end--)
            ;
    return part;
}

static void count_subwords(TokenCounts *t, const Text *chunks, int count)
{
    Span *parts = memory_new((size_t)count, sizeof *parts, "counting");
    for (int i = 0; i < count; i++) {
        parts[i] = subword_part(&t->rules, t->size, &chunks[i]);
        t->size += chunks[i].size;
    }
    word_counts_add(&t->words, parts, count, cut_of(t->rules));
    free(parts);
}

TokenCounts *token_counts_begin(TokenizerRules rules)
{
    TokenCounts *t = memory_new(1, sizeof *t, "counting");
    t->rules = rules;
    if (rules.kind == TOKENIZER_BPE)
        t->words = word_counts_new();
    else
        for (int i = 0; i < thread_limit(); i++)
            arrput(t->threads, (Counted){.all = vocabulary_new()});
    return t;
}

void token_counts_add(TokenCounts *t, const Text *chunks, int count)
{
    if (t->rules.kind == TOKENIZER_BPE)
        count_subwords(t, chunks, count);
    else
        count_chunks(t, chunks, count);
}

/* ---- Choosing ---- */

typedef struct {
    int64_t count;
    int id; /* in the order of appearance */
} Occurrences;

static int most_frequent_first(const void *a, const void *b)
{
    const Occurrences *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1)
                                : (x->id > y->id) - (x->id < y->id);
}

/* Sets kept[id] for the words that the rules keep; returns how many. If words occur equally
 * often, the earlier ones are kept. */
static int choose(bool *kept, const int64_t *counts, int count, TokenizerRules rules)
{
    Occurrences *frequent = memory_new((size_t)count, sizeof *frequent, "the vocabulary");
    int passing = 0;
    assert(counts || !count);
    for (int id = 0; id < count; id++)
        if (counts[id] >= rules.min_count)
            frequent[passing++] = (Occurrences){counts[id], id};
    qsort(frequent, (size_t)passing, sizeof *frequent, most_frequent_first);
    if (rules.max_words)
        passing = min_int(passing, rules.max_words);
    for (int i = 0; i < passing; i++)
        kept[frequent[i].id] = true;
    free(frequent);
    return passing;
}

static int add_special(Tokenizer *t, const char *word)
{
    return vocabulary_add(&t->vocabulary, word, strlen(word), true);
}

static void put_words(Tokenizer *t, TokenCounts *counts, const char *name, TokenizerRules rules)
{
    Counted c = add_up(counts);
    bool *kept = memory_new((size_t)c.all.count, sizeof *kept, "the vocabulary");
    const int passing = choose(kept, c.counts, c.all.count, rules);
    if (!passing && c.all.count)
        die("%s has no %s that occurs %d times: all would be [unk]; choose a smaller --min-count",
            name, translated(tokenizer_unit(rules.kind)), rules.min_count);
    if (passing < c.all.count)
        t->unk = add_special(t, "[unk]");
    for (int id = 0; id < c.all.count; id++) {
        const char *word = vocabulary_word(&c.all, id);
        if (kept[id])
            vocabulary_add(&t->vocabulary, word, strlen(word), false);
    }
    free(kept);
    free_counted(&c);
}

/* Each merge needs a pair of the text, so that a text cannot fill a larger vocabulary than `most`:
 * memory is taken by the size. */
static void put_subwords(Tokenizer *t, TokenCounts *counts, TokenizerRules rules)
{
    const int64_t most = t->vocabulary.count + 256 + (int64_t)counts->size;
    const int size = (int)min_int64(rules.vocabulary, most);
    tokenizer_set_merges(t, bpe_train(&t->vocabulary, &counts->words, size, rules.min_count));
}

Tokenizer token_counts_end(TokenCounts *counts, const char *name, TokenizerRules rules)
{
    Tokenizer t = tokenizer_new();
    t.kind = rules.kind;
    t.form = rules.lower ? TEXT_LOWER : rules.kind == TOKENIZER_BPE ? TEXT_AS_IS : TEXT_COMPOSED;
    t.stream = rules.stream;
    t.objective = rules.objective;
    if (!rules.stream) {
        t.bos = add_special(&t, "[bos]");
        t.eos = add_special(&t, "[eos]");
    }
    if (rules.objective == OBJECTIVE_PAIRS)
        t.sep = add_special(&t, "[sep]");
    if (rules.objective == OBJECTIVE_MASKED)
        t.mask = add_special(&t, "[mask]");
    if (rules.kind == TOKENIZER_BPE)
        put_subwords(&t, counts, rules);
    else
        put_words(&t, counts, name, rules);
    vocabulary_complete(&t.vocabulary);
    free(counts);
    return t;
}

Tokenizer tokenizer_train(const Text *text, TokenizerRules rules)
{
    TokenCounts *counts = token_counts_begin(rules);
    token_counts_add(counts, text, 1);
    return token_counts_end(counts, text->name, rules);
}
