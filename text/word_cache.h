/* word_cache.h: the ids of the words that one thread has looked up lately. Most words of a text are
 * frequent ones, which are found here by one look at one place in memory.
 *
 * Words are cut some at once: while the later ones are cut, the slots of the first ones come from
 * memory. */
#ifndef PULGA_WORD_CACHE_H
#define PULGA_WORD_CACHE_H

#include "text/subwords/word_key.h"
#include "text/words/vocabulary.h"

enum { WORD_CACHE_BITS = 16, WORDS_AT_ONCE = 16 };

typedef struct {
    WordKey key;
    int id;
} CachedWord;

/* One slot for each value of a hash. All zero is an empty cache: no word has a key of zeros. */
typedef struct {
    CachedWord slots[1 << WORD_CACHE_BITS];
} WordCache;

/* A word, and its place in the cache; NULL: it is too long. */
typedef struct {
    Span word;
    WordKey key;
    CachedWord *slot;
} CutWord;

/* Cuts the next words of a part of a text that ends at `end`. Returns how many; 0 at the end of the
 * part. */
static inline int word_cache_cut(WordCache *cache, uint64_t seed, Span *part, const char *end,
                                 Punctuation punctuation, CutWord words[WORDS_AT_ONCE])
{
    int count = 0;
    for (; count < WORDS_AT_ONCE; count++) {
        CutWord *w = &words[count];
        if (!split_word(&part->begin, part->end, punctuation, &w->word))
            break;
        w->slot = NULL;
        if (w->word.end - w->word.begin > LONGEST_KEY)
            continue;
        w->key = word_key(w->word, end);
        w->slot = &cache->slots[word_key_hash(w->key, seed) >> (64 - WORD_CACHE_BITS)];
        __builtin_prefetch(w->slot);
    }
    return count;
}

/* What vocabulary_find() returns. No id may change as long as the cache is used. */
static inline int word_cache_find(const Vocabulary *vocabulary, const CutWord *w)
{
    if (w->slot && word_key_equal(w->slot->key, w->key))
        return w->slot->id;
    const int id =
        vocabulary_find(vocabulary, w->word.begin, (size_t)(w->word.end - w->word.begin));
    if (w->slot && id >= 0)
        *w->slot = (CachedWord){w->key, id};
    return id;
}

#endif
