/* encoder.h: turns parts of a text into ids, one after another, by one thread: all of a corpus, or
 * a prompt. What it has looked up it finds again in a cache. */
#ifndef PULGA_ENCODER_H
#define PULGA_ENCODER_H

#include "base/utf8.h"
#include "text/subwords/bpe.h"
#include "tokenizer.h"

/* The ids of the words and characters that one thread has looked up lately. Most
 * words of a text are frequent ones, which are found here by one look at one place in memory: a
 * slot for each value of a hash, which the latest word takes.
 *
 * Words are cut some at once: while the later ones are cut, the slots of the first ones come from
 * memory. */
enum { CACHED_SUBWORDS = 9, WORDS_AT_ONCE = 16, CODE_POINTS = 1 << 16 };

/* A word, and its id or its subwords: 32 bytes, or 64, which is a line of the processor's cache. */
typedef struct {
    WordKey key; /* all 0: free, since no word has a key of zeros */
    int count, ids[];
} CachedWord;

typedef struct {
    char *words; /* (1 << bits, 1 << slot_bits) of words and subwords, else NULL */
    int bits, slot_bits;
    int most;            /* ids that a slot has room for: 1, or CACHED_SUBWORDS */
    int *characters;     /* (CODE_POINTS) of characters, else NULL: ids, -1 if not looked up yet */
    WordPattern pattern; /* of the words of subwords */
    uint64_t seed;
} TokenCache;

/* A cache of characters or of words, whose slots have room for `most` ids. `text_size` is about how
 * many bytes of text it will serve: a short text, such as a line, has few words. */
TokenCache token_cache_new(TokenizerKind kind, int most, size_t text_size);
void token_cache_free(TokenCache *cache);

/* A word, and its place in the cache; NULL: it is too long. */
typedef struct {
    Span word;
    WordKey key;
    CachedWord *slot;
} CutWord;

/* Cuts the next words of a part of a text that ends at `end`. Returns how many; 0 at the end of the
 * part. If `subwords` is a constant, the loop has no branch for it. */
static inline int token_cache_cut(const TokenCache *cache, bool subwords, Punctuation punctuation,
                                  Span *part, const char *end, CutWord words[WORDS_AT_ONCE])
{
    int count = 0;
    for (; count < WORDS_AT_ONCE; count++) {
        CutWord *w = &words[count];
        if (!(subwords ? pattern_word(&part->begin, part->end, cache->pattern, &w->word)
                       : split_word(&part->begin, part->end, punctuation, &w->word)))
            break;
        w->slot = NULL;
        if (w->word.end - w->word.begin > LONGEST_KEY)
            continue;
        w->key = word_key(w->word, end);
        const uint64_t slot = word_key_hash(w->key, cache->seed) >> (64 - cache->bits);
        w->slot = (CachedWord *)(cache->words + (slot << cache->slot_bits));
        __builtin_prefetch(w->slot);
    }
    return count;
}

static inline bool token_cache_has(const CutWord *w)
{
    return w->slot && word_key_equal(w->slot->key, w->key);
}

/* Keeps the ids of a word, which may not change as long as the cache is used. */
static inline void token_cache_put(const TokenCache *cache, const CutWord *w, const int *ids,
                                   int count)
{
    if (!w->slot || count > cache->most)
        return;
    w->slot->key = w->key;
    w->slot->count = count;
    memcpy(w->slot->ids, ids, (size_t)count * sizeof *ids);
}

/* The id of the next character of a text, which moves past it; -1 if it has none. */
static inline int token_cache_character(const TokenCache *cache, const Vocabulary *v, Span *text,
                                        Span *character)
{
    character->begin = text->begin;
    const int32_t code =
        (unsigned char)*text->begin < 0x80 ? *text->begin++ : utf8_next(&text->begin, text->end);
    character->end = text->begin;
    const bool listed = code >= 0 && code < CODE_POINTS;
    int id = listed ? cache->characters[code] : -1;
    if (id >= 0)
        return id;
    id = vocabulary_find(v, character->begin, (size_t)(character->end - character->begin));
    if (listed)
        cache->characters[code] = id;
    return id;
}

typedef struct Encoder Encoder;

/* For about `text_size` bytes of text; the tokenizer must outlive it. `unk` is the id of tokens
 * that have none, -1 if it is to stop at them. */
Encoder *encoder_new(const Tokenizer *tokenizer, size_t text_size, int unk);
void encoder_free(Encoder *encoder);

/* Appends the ids of a part of a clean text to `ids`, an stb_ds array; [bos] and [eos] are not put
 * around them. Stops at the first token that has no id and returns false; `unknown` receives it. */
bool encoder_add(Encoder *encoder, Span text, int **ids, Span *unknown);

/* Appends the ids of all lines of a clean text that are not blank, each between [bos] and [eos], or
 * of all its conversations, and counts them. *longest becomes the tokens of the longest one, with
 * [bos] and [eos], if that is more. Else as above. */
bool encoder_add_lines(Encoder *encoder, Span text, int **ids, size_t *lines, size_t *longest,
                       Span *unknown);

/* ---- Prompts ---- */

/* From what a person types to the ids that the model reads. */

/* What becomes of a prompt. It owns all that it points to. */
typedef struct {
    int *ids, count;   /* [bos] first if the model reads by lines; of pairs, with [sep] after the
                        source; of a text with gaps, [mask] for each and [eos] at the end; of
                          turns, up to where the answer begins */
    char *wrong;       /* why there are no ids, in one line; or NULL */
    int known;         /* how many are there all the same, if that is only a token without one:
                          those before it */
    char *lowered;     /* the words that are known only in lower case and were read so; or NULL */
    int lowered_count; /* how many are listed there: at most ten, then … */
} Encoding;

/* Cleans and encodes a prompt, which messages call `name`. A word that is not known is tried in
 * lower case, since people begin a prompt with a capital letter. If the prompt cannot be encoded,
 * `wrong` says why. */
Encoding prompt_encode(const Tokenizer *tokenizer, const char *name, const char *bytes,
                       size_t size);
void encoding_free(Encoding *encoding);

#endif
