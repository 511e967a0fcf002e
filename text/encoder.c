/* encoder.c: a part has at most as many ids as bytes, so that there is room for all at once. */
#include "encoder.h"

#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "base/utf8.h"

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
    e->cache.pattern = tokenizer->pattern;
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
    if (subwords && t->ignore_merges && (*ids = bpe_find(&t->vocabulary, word)) >= 0)
        return 1;
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

/* The words between the tokens that are cut out whole, and these tokens. */
static bool add_subwords(Encoder *e, Span part, const char *end, int **ids, Span *unknown)
{
    const Vocabulary *v = &e->tokenizer->vocabulary;
    int id = -1;
    for (const char *whole;
         (whole = vocabulary_find_whole(v, part.begin, (size_t)(part.end - part.begin), &id));
         part.begin = whole + vocabulary_word_size(v, id)) {
        add_words(e, true, (Span){part.begin, whole}, end, ids, unknown);
        arrput(*ids, id);
    }
    return add_words(e, true, part, end, ids, unknown);
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
    case TOKENIZER_BPE: return add_subwords(e, part, end, ids, unknown);
    case TOKENIZER_WORD: break;
    }
    return add_words(e, false, part, end, ids, unknown);
}

bool encoder_add(Encoder *e, Span text, int **ids, Span *unknown)
{
    return add(e, text, text.end, ids, unknown);
}

/* Appends the ids of one of ChatML's words, which has ids in any subwords. */
static void add_fixed(Encoder *e, const char *text, int **ids)
{
    encoder_add(e, (Span){text, text + strlen(text)}, ids, &(Span){NULL, NULL});
}

/* Appends what stands before turn number `turn` of a conversation, from 0: even ones are a
 * person's, odd ones the model's. */
static void put_mark(Encoder *e, int turn, int **ids)
{
    const Tokenizer *t = e->tokenizer;
    if (!t->opening) {
        arrput(*ids, turn % 2 ? t->sep : turn ? t->eos : t->bos);
        return;
    }
    if (turn) {
        arrput(*ids, t->eos);
        add_fixed(e, "\n", ids);
    }
    arrput(*ids, t->bos);
    add_fixed(e, turn % 2 ? "assistant\n" : "user\n", ids);
}

/* Appends the ids of a conversation, without its last [eos]: of the lines up to the first that is
 * blank. */
static bool add_turns(Encoder *e, Span *text, int **ids, Span *unknown)
{
    bool known = true;
    int turn = 0;
    for (Span line, name, said;
         known && split_line(&text->begin, text->end, &line) && split_turn(line, &name, &said);) {
        put_mark(e, turn++, ids);
        known = add(e, said, text->end, ids, unknown);
    }
    return known;
}

/* Moves to the next line that is not blank; false if there is none. */
static bool find_line(Span *text)
{
    Span line;
    const bool found = split_part(&(const char *){text->begin}, text->end, CUT_LINES, &line);
    text->begin = found ? line.begin : text->end;
    return found;
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

static bool add_line(Encoder *e, Span *text, int **ids, Span *unknown)
{
    Span line;
    arrput(*ids, e->tokenizer->bos);
    return split_line(&text->begin, text->end, &line) &&
           add_source(e, &line, text->end, ids, unknown) && add(e, line, text->end, ids, unknown);
}

bool encoder_add_lines(Encoder *e, Span text, int **ids, size_t *lines, size_t *longest,
                       Span *unknown)
{
    const bool turns = e->tokenizer->objective == OBJECTIVE_TURNS;
    bool known = true;
    while (known && find_line(&text)) {
        const size_t before = arrlenu(*ids);
        known = turns ? add_turns(e, &text, ids, unknown) : add_line(e, &text, ids, unknown);
        arrput(*ids, e->tokenizer->eos);
        const size_t tokens = arrlenu(*ids) - before;
        *longest = tokens > *longest ? tokens : *longest;
        ++*lines;
    }
    return known;
}

/* ---- Prompts ---- */

/* A prompt is cut into the parts between tabs or gaps, and each part is cleaned and encoded by
 * itself. */

/* The id of the lower-case form of a token that is not known itself; -1 if that is not known either
 * or is a special token. text_clean() may refuse even a clean token, since NFC can turn one mark
 * into two. */
static int find_lower(const Tokenizer *t, Span token)
{
    char *lower;
    size_t size;
    char *wrong =
        text_clean("", token.begin, (size_t)(token.end - token.begin), TEXT_LOWER, &lower, &size);
    if (wrong) {
        free(wrong);
        return -1;
    }
    const int id = vocabulary_find(&t->vocabulary, lower, size);
    free(lower);
    return id >= 0 && vocabulary_is_special(&t->vocabulary, id) ? -1 : id;
}

static void note_lowered(Encoding *e, Span word)
{
    enum { MOST = 10 };
    if (e->lowered_count > MOST)
        return;
    extend_text(&e->lowered, e->lowered ? ", " : "");
    if (e->lowered_count++ == MOST)
        extend_text(&e->lowered, "…");
    else
        extend_text(&e->lowered, "%.*s", (int)(word.end - word.begin), word.begin);
}

/* Says which token has no id and, of the first one, which ones are spelt alike. */
static void note_unknown(const Tokenizer *t, Encoding *e, const char *name, Span token)
{
    if (!e->wrong) {
        e->known = (int)arrlen(e->ids);
        e->wrong = tokenizer_unknown(t, name, token);
        return;
    }
    enum { LONGEST_LINE = 400 };
    AUTOFREE char *quoted = format_text("'%.*s'", (int)(token.end - token.begin), token.begin);
    if (!strstr(e->wrong, quoted) && strlen(e->wrong) + strlen(quoted) < LONGEST_LINE)
        extend_text(&e->wrong, _("; nor %s"), quoted);
}

/* Appends the ids of a clean part of a prompt, or says in e->wrong why that is not possible. */
static void encode_clean(const Tokenizer *t, Encoding *e, const char *name, Span text)
{
    Encoder *encoder = encoder_new(t, (size_t)(text.end - text.begin), -1);
    for (Span unknown = text; !encoder_add(encoder, text, &e->ids, &unknown);) {
        int id = find_lower(t, unknown);
        if (id >= 0)
            note_lowered(e, unknown);
        id = id < 0 ? t->unk : id;
        if (id < 0)
            note_unknown(t, e, name, unknown);
        arrput(e->ids, id);
        text.begin = unknown.end;
    }
    encoder_free(encoder);
}

/* The ids of any part, which is cleaned first. */
static void encode_part(const Tokenizer *t, Encoding *e, const char *name, Span part)
{
    const size_t size = (size_t)(part.end - part.begin);
    char *clean = NULL;
    size_t clean_size;
    int id;
    if (e->wrong)
        return;
    e->wrong = text_clean(name, part.begin, size, t->form, &clean, &clean_size);
    if (!e->wrong && (vocabulary_find_reserved(&t->vocabulary, part.begin, size, &id) ||
                      vocabulary_find_reserved(&t->vocabulary, clean, clean_size, &id)))
        e->wrong = tokenizer_reserved(t, name, id);
    if (!e->wrong)
        encode_clean(t, e, name, (Span){clean, clean + clean_size});
    free(clean);
}

/* A prompt of pairs is a source, which may be followed by a tab and the beginning of its target. */
static void encode_pair(const Tokenizer *t, Encoding *e, const char *name, Span prompt)
{
    const char *tab = memchr(prompt.begin, '\t', (size_t)(prompt.end - prompt.begin));
    const Span source = {prompt.begin, tab ? tab : prompt.end};
    const Span target = {tab ? tab + 1 : prompt.end, prompt.end};
    Span rest = prompt, line;
    int lines = 0;
    while (split_part(&rest.begin, rest.end, CUT_LINES, &line))
        lines++;
    if (is_blank(source))
        e->wrong =
            format_text(_("%s has no source; write one before the tab (at the prompt line: before "
                          "->)"),
                        name);
    else if (lines > 1)
        e->wrong = format_text(_("%s has two lines; give one"), name);
    else if (memchr(target.begin, '\t', (size_t)(target.end - target.begin)))
        e->wrong = format_text(_("%s has two tabs; one stands between source and target"), name);
    encode_part(t, e, name, source);
    arrput(e->ids, t->sep);
    encode_part(t, e, name, target);
}

/* A prompt of turns is a conversation with tabs between its turns; the last one may be the
 * beginning of an answer. */
static void encode_turns(const Tokenizer *t, Encoding *e, const char *name, Span prompt)
{
    Encoder *encoder = encoder_new(t, 0, -1);
    if (t->system) {
        arrput(e->ids, t->bos);
        add_fixed(encoder, t->system, &e->ids);
        arrput(e->ids, t->eos);
        add_fixed(encoder, "\n", &e->ids);
    }
    const char *tab = prompt.begin;
    for (int turn = 0; tab; turn++) {
        tab = memchr(prompt.begin, '\t', (size_t)(prompt.end - prompt.begin));
        const Span part = {prompt.begin, tab ? tab : prompt.end};
        if (is_blank(part) && turn % 2 == 0)
            e->wrong = format_text(_("%s has nothing to answer: a turn is empty"), name);
        put_mark(encoder, turn, &e->ids);
        encode_part(t, e, name, part);
        if (!tab && turn % 2 == 0) /* the model's turn */
            put_mark(encoder, turn + 1, &e->ids);
        prompt.begin = tab ? tab + 1 : prompt.end;
    }
    encoder_free(encoder);
}

static const char MASK[] = "[mask]"; /* what a gap is in a prompt, whatever the vocabulary has */

/* Where the next gap of a prompt begins, or NULL. */
static const char *find_gap(Span text)
{
    return memmem(text.begin, (size_t)(text.end - text.begin), MASK, strlen(MASK));
}

/* A prompt with gaps is a whole line. A subword has the space before it, so spaces before a gap
 * belong to the gap. */
static void encode_gaps(const Tokenizer *t, Encoding *e, const char *name, Span rest)
{
    for (const char *gap; (gap = find_gap(rest)); rest.begin = gap + strlen(MASK)) {
        Span part = {rest.begin, gap};
        while (t->kind == TOKENIZER_BPE && part.end > part.begin && part.end[-1] == ' ')
            part.end--;
        encode_part(t, e, name, part);
        arrput(e->ids, t->mask);
    }
    encode_part(t, e, name, rest);
    if (t->eos >= 0)
        arrput(e->ids, t->eos);
}

Encoding prompt_encode(const Tokenizer *t, const char *name, const char *bytes, size_t size)
{
    Encoding e = {0};
    const Span prompt = {bytes, bytes + size};
    if (t->bos >= 0 && t->objective != OBJECTIVE_TURNS)
        arrput(e.ids, t->bos);
    if (t->objective == OBJECTIVE_MASKED)
        encode_gaps(t, &e, name, prompt);
    else if (find_gap(prompt))
        e.wrong = format_text(_("%s has %s, but the model was not trained to fill gaps; train one "
                                "with --objective masked"),
                              name, MASK);
    else if (t->objective == OBJECTIVE_PAIRS)
        encode_pair(t, &e, name, prompt);
    else if (t->objective == OBJECTIVE_TURNS)
        encode_turns(t, &e, name, prompt);
    else
        encode_part(t, &e, name, prompt);
    e.count = e.wrong ? 0 : (int)arrlen(e.ids);
    if (e.wrong)
        text_sanitize(e.wrong);
    return e;
}

void encoding_free(Encoding *e)
{
    arrfree(e->ids);
    free(e->wrong);
    free(e->lowered);
}
