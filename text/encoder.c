/* encoder.c: a part has at most as many ids as bytes, so that there is room for all at once. */
#include "encoder.h"

#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/numbers/random.h"

/* Takes at most 4 MB. */

TokenCache token_cache_new(TokenizerKind kind, int most, size_t text_size)
{
    enum { LEAST_BITS = 4, MOST_BITS = 16 };
    TokenCache c = {
        .bits = LEAST_BITS, .slot_bits = most > 1 ? 6 : 5, .most = most, .seed = random_seed()};
    if (kind == TOKENIZER_CHAR) {
        c.characters = memory_take(CODE_POINTS * sizeof *c.characters);
        memset(c.characters, -1, CODE_POINTS * sizeof *c.characters);
        return c;
    }
    while (c.bits < MOST_BITS && text_size >> c.bits > 4)
        c.bits++;
    c.words = memory_new((size_t)1 << c.bits, (size_t)1 << c.slot_bits, "encoding");
    return c;
}

void token_cache_free(TokenCache *cache)
{
    free(cache->words);
    free(cache->characters);
}

struct Encoder {
    const Tokenizer *tokenizer;
    TokenCache cache;
    int unk;
    BpeWord word; /* of subwords */
};

Encoder *encoder_new(const Tokenizer *tokenizer, size_t text_size, int unk)
{
    Encoder *e = memory_new(1, sizeof *e, "encoding");
    e->tokenizer = tokenizer;
    e->unk = unk;
    e->cache = token_cache_new(tokenizer->kind,
                               tokenizer->kind == TOKENIZER_BPE ? CACHED_SUBWORDS : 1, text_size);
    return e;
}

void encoder_free(Encoder *e)
{
    token_cache_free(&e->cache);
    bpe_word_free(&e->word);
    free(e);
}

/* Writes the ids of a word that is not in the cache; returns how many, 0 if it is not known. Any
 * word is made of known subwords. */
static int find_word(Encoder *e, bool subwords, Span word, int *ids)
{
    const Tokenizer *t = e->tokenizer;
    if (subwords)
        return bpe_encode_word(&t->bpe, &e->word, word, ids);
    const int id = vocabulary_find(&t->vocabulary, word.begin, (size_t)(word.end - word.begin));
    *ids = id < 0 ? e->unk : id;
    return *ids >= 0;
}

/* All places of a slot are copied, used or not: one copy of a fixed size. `end` is that of the text
 * that this is a part of. */
static inline bool add_words(Encoder *e, bool subwords, Span part, const char *end, int **ids,
                             Span *unknown)
{
    int *out = arraddnptr(*ids, (size_t)(part.end - part.begin) + CACHED_SUBWORDS), known = 1,
        count;
    CutWord words[WORDS_AT_ONCE];
    while (known && (count = token_cache_cut(&e->cache, subwords, e->tokenizer->punctuation, &part,
                                             end, words)))
        for (const CutWord *w = words; w < words + count && known; w++) {
            if (token_cache_has(w)) {
                memcpy(out, w->slot->ids, (subwords ? CACHED_SUBWORDS : 1) * sizeof *out);
                known = subwords ? w->slot->count : 1;
            } else if ((known = find_word(e, subwords, w->word, out)))
                token_cache_put(&e->cache, w, out, known);
            else
                *unknown = w->word;
            out += known;
        }
    arrsetlen(*ids, (size_t)(out - *ids));
    return known;
}

static bool add_characters(Encoder *e, Span part, int **ids, Span *unknown)
{
    int *out = arraddnptr(*ids, (size_t)(part.end - part.begin)), known = 0;
    const TokenCache cache = e->cache; /* in registers */
    for (Span at; part.begin < part.end; *out++ = known) {
        known = token_cache_character(&cache, &e->tokenizer->vocabulary, &part, &at);
        if (known < 0 && (known = e->unk) < 0) {
            *unknown = at;
            break;
        }
    }
    arrsetlen(*ids, (size_t)(out - *ids));
    return known >= 0;
}

static bool add(Encoder *e, Span part, const char *end, int **ids, Span *unknown)
{
    if (part.begin == part.end)
        return true;
    switch (e->tokenizer->kind) {
    case TOKENIZER_CHAR: return add_characters(e, part, ids, unknown);
    case TOKENIZER_BPE: return add_words(e, true, part, end, ids, unknown);
    case TOKENIZER_WORD: break;
    }
    return add_words(e, false, part, end, ids, unknown);
}

bool encoder_add(Encoder *e, Span text, int **ids, Span *unknown)
{
    return add(e, text, text.end, ids, unknown);
}

/* A pair becomes  source [sep] target; `line` becomes its target. */
static bool add_source(Encoder *e, Span *line, const char *end, int **ids, Span *unknown)
{
    Span source;
    if (e->tokenizer->objective != OBJECTIVE_PAIRS || !split_pair(*line, &source, line))
        return true;
    const bool known = add(e, source, end, ids, unknown);
    arrput(*ids, e->tokenizer->sep);
    return known;
}

bool encoder_add_lines(Encoder *e, Span text, int **ids, size_t *lines, size_t *longest,
                       Span *unknown)
{
    bool known = true;
    for (Span line; known && split_part(&text.begin, text.end, CUT_LINES, &line);) {
        const size_t before = arrlenu(*ids);
        arrput(*ids, e->tokenizer->bos);
        known =
            add_source(e, &line, text.end, ids, unknown) && add(e, line, text.end, ids, unknown);
        arrput(*ids, e->tokenizer->eos);
        const size_t tokens = arrlenu(*ids) - before;
        *longest = tokens > *longest ? tokens : *longest;
        ++*lines;
    }
    return known;
}
