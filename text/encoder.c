/* encoder.c: one loop for each kind of tokenizer. */
#include "encoder.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/utf8.h"
#include "word_cache.h"

enum { CHARACTERS = 1 << 16 }; /* code points that the table has; the others are rare */

struct Encoder {
    const Tokenizer *tokenizer;
    BpeEncoder *subwords; /* of subwords, else NULL */
    int *characters;      /* (CHARACTERS) of characters, else NULL: ids, -1 if there is none */
    WordCache *words;     /* of words, else NULL */
};

static int find(const Tokenizer *t, Span token)
{
    return vocabulary_find(&t->vocabulary, token.begin, (size_t)(token.end - token.begin));
}

static int *table_of(const Tokenizer *t)
{
    int *ids = memory_take(CHARACTERS * sizeof *ids);
    for (int c = 0; c < CHARACTERS; c++)
        ids[c] = -1;
    for (int id = 0; id < tokenizer_size(t); id++) {
        const char *word = vocabulary_word(&t->vocabulary, id), *at = word;
        const int32_t c = *word ? utf8_next(&at, word + strlen(word)) : -1;
        if (c >= 0 && c < CHARACTERS && !*at)
            ids[c] = id;
    }
    return ids;
}

Encoder *encoder_new(const Tokenizer *tokenizer, size_t text_size)
{
    Encoder *e = memory_new(1, sizeof *e, "encoding");
    e->tokenizer = tokenizer;
    switch (tokenizer->kind) {
    case TOKENIZER_CHAR: e->characters = table_of(tokenizer); break;
    case TOKENIZER_BPE: e->subwords = bpe_encoder_new(&tokenizer->bpe, text_size); break;
    case TOKENIZER_WORD: e->words = memory_new(1, sizeof *e->words, "encoding"); break;
    }
    return e;
}

void encoder_free(Encoder *e)
{
    if (e->subwords)
        bpe_encoder_free(e->subwords);
    free(e->characters);
    free(e->words);
    free(e);
}

/* There are at most as many words as bytes. `end` is that of the text that this is a part of. */
static bool add_words(Encoder *e, Span part, const char *end, int **ids, Span *unknown)
{
    const Tokenizer *t = e->tokenizer;
    int *out = arraddnptr(*ids, (size_t)(part.end - part.begin)), known = 0, count;
    CutWord words[WORDS_AT_ONCE];
    while (known >= 0 && (count = word_cache_cut(e->words, t->vocabulary.seed, &part, end,
                                                 t->punctuation, words)))
        for (int i = 0; i < count && known >= 0; i++) {
            *unknown = words[i].word;
            known = word_cache_find(&t->vocabulary, &words[i]);
            known = known < 0 ? t->unk : known;
            *out = known;
            out += known >= 0;
        }
    arrsetlen(*ids, (size_t)(out - *ids));
    return known >= 0;
}

/* There are at most as many characters as bytes. */
static bool add_characters(Encoder *e, Span text, int **ids, Span *unknown)
{
    const Tokenizer *t = e->tokenizer;
    int *out = arraddnptr(*ids, (size_t)(text.end - text.begin)), known = 0;
    while (text.begin < text.end && known >= 0) {
        unknown->begin = text.begin;
        const int32_t c =
            (unsigned char)*text.begin < 0x80 ? *text.begin++ : utf8_next(&text.begin, text.end);
        unknown->end = text.begin;
        known = c >= 0 && c < CHARACTERS ? e->characters[c] : find(t, *unknown);
        known = known < 0 ? t->unk : known;
        *out = known;
        out += known >= 0;
    }
    arrsetlen(*ids, (size_t)(out - *ids));
    return known >= 0;
}

/* Any text is made of known subwords. */
static bool add(Encoder *e, Span part, const char *end, int **ids, Span *unknown)
{
    if (part.begin == part.end)
        return true;
    switch (e->tokenizer->kind) {
    case TOKENIZER_CHAR: return add_characters(e, part, ids, unknown);
    case TOKENIZER_BPE: bpe_encoder_add(e->subwords, part, ids); return true;
    case TOKENIZER_WORD: break;
    }
    return add_words(e, part, end, ids, unknown);
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
