/* tokenizer.c: what a tokenizer is, and how its tokens become a text. From a text to its tokens:
 * encoder.c. Subwords are cut and joined in subwords/. */
#include "tokenizer.h"

#include <assert.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/parallel/threads.h"
#include "base/utf8.h"
#include "text/subwords/bpe.h"
#include "text/words/vocabulary.h"
#include "encoder.h"

const char *const TOKENIZER_NAMES[] = {
    [TOKENIZER_WORD] = "word", [TOKENIZER_CHAR] = "char", [TOKENIZER_BPE] = "bpe", NULL};

Tokenizer tokenizer_new(void)
{
    return (Tokenizer){
        .bos = -1, .eos = -1, .unk = -1, .sep = -1, .mask = -1, .vocabulary = vocabulary_new()};
}

Objective tokenizer_objective(const Tokenizer *t)
{
    return (Objective){.kind = t->objective,
                       .bos = t->bos,
                       .eos = t->eos,
                       .sep = t->sep,
                       .mask = t->mask,
                       .opening = t->opening,
                       .assistant = t->assistant,
                       .vocabulary = t->vocabulary.count};
}

void tokenizer_free(Tokenizer *t)
{
    vocabulary_free(&t->vocabulary);
    spacing_free(&t->spacing);
    arrfree(t->merges);
    bpe_free(&t->bpe);
    free(t->system);
    free(t->template);
}

void tokenizer_set_merges(Tokenizer *t, BpeMerge *merges)
{
    t->kind = TOKENIZER_BPE;
    t->merges = merges;
    t->bpe = bpe_new(&t->vocabulary, merges, (int)arrlen(merges));
}

const char *tokenizer_unit(TokenizerKind kind)
{
    static const char *const units[] = {[TOKENIZER_WORD] = N_("word"),
                                        [TOKENIZER_CHAR] = N_("character"),
                                        [TOKENIZER_BPE] = N_("subword")};
    return units[kind];
}

const char *tokenizer_units(TokenizerKind kind)
{
    static const char *const units[] = {[TOKENIZER_WORD] = N_("words"),
                                        [TOKENIZER_CHAR] = N_("characters"),
                                        [TOKENIZER_BPE] = N_("subwords")};
    return units[kind];
}

TextCut tokenizer_chunks(const Tokenizer *t)
{
    const bool by_lines = t->stream && pattern_has_lines(t->pattern);
    return by_lines ? CUT_LINES : tokenizer_cut(t->stream, t->objective);
}

bool tokenizer_has_words(const Tokenizer *t)
{
    return t->kind == TOKENIZER_WORD;
}

const char *tokenizer_word(const Tokenizer *t, int id)
{
    return t->kind == TOKENIZER_BPE ? bpe_bytes(&t->bpe, id).begin
                                    : vocabulary_word(&t->vocabulary, id);
}

int tokenizer_find(const Tokenizer *t, const char *word)
{
    const size_t size = strlen(word);
    return t->kind == TOKENIZER_BPE ? bpe_find(&t->vocabulary, (Span){word, word + size})
                                    : vocabulary_find(&t->vocabulary, word, size);
}

bool tokenizer_is_text(const Tokenizer *t, int id)
{
    return !vocabulary_is_special(&t->vocabulary, id);
}

bool tokenizer_is_part(const Tokenizer *t, int id)
{
    return t->vocabulary.kinds[id] == WORD_PLAIN;
}

int tokenizer_size(const Tokenizer *t)
{
    return t->vocabulary.count;
}

uint64_t tokenizer_checksum(const Tokenizer *t, uint64_t checksum)
{
    for (int id = 0; id < t->vocabulary.count; id++) {
        const char *word = vocabulary_word(&t->vocabulary, id);
        checksum = checksum_continue(checksum, word, strlen(word) + 1);
    }
    if (t->merges)
        checksum = checksum_continue(checksum, t->merges, arrlenu(t->merges) * sizeof *t->merges);
    if (t->pattern) { /* the checksums of other tokenizers stay what they were */
        const int *whole = t->vocabulary.whole.ids, how[] = {(int)t->pattern, t->ignore_merges};
        checksum = checksum_continue(checksum, how, sizeof how);
        checksum = checksum_continue(checksum, whole, arrlenu(whole) * sizeof *whole);
    }
    const int rest[] = {
        t->bos,       t->eos,       t->unk,    t->sep,           t->mask, (int)t->punctuation,
        (int)t->kind, (int)t->form, t->stream, (int)t->objective};
    return checksum_continue(checksum, rest, sizeof rest);
}

bool tokenizer_take_chatml(Tokenizer *t)
{
    static const char opening[] = "assistant\n";
    const int start = tokenizer_find(t, "<|im_start|>"), end = tokenizer_find(t, "<|im_end|>");
    if (start < 0 || end < 0 || tokenizer_is_part(t, start) || tokenizer_is_part(t, end))
        return false;
    int *ids = NULL;
    Span unknown;
    Encoder *encoder = encoder_new(t, sizeof opening, -1);
    if (encoder_add(encoder, (Span){opening, opening + strlen(opening)}, &ids, &unknown)) {
        t->opening = (int)arrlen(ids);
        t->assistant = *ids;
        t->objective = OBJECTIVE_TURNS;
        t->stream = false;
        t->bos = t->sep = start;
        t->eos = end;
    }
    encoder_free(encoder);
    arrfree(ids);
    return t->opening;
}

/* ---- What is wrong with a text ---- */

char *tokenizer_reserved(const Tokenizer *t, const char *where, int id)
{
    const char *token = tokenizer_word(t, id);
    const char *rest = token;
    utf8_next(&rest, token + strlen(token));
    return format_text(_("%s: the text contains the reserved token %s; put a space in it: %.*s %s"),
                       where, token, (int)(rest - token), token, rest);
}

static char *check_bytes(const Tokenizer *t, const Text *text, const char *bytes, size_t size)
{
    int id;
    const char *found = vocabulary_find_reserved(&t->vocabulary, bytes, size, &id);
    if (!found)
        return NULL;
    char *place = text_place(text, bytes, found);
    char *message = tokenizer_reserved(t, place, id);
    free(place);
    return message;
}

/* Cleaning may have made one. */
char *tokenizer_check_text(const Tokenizer *t, const Text *text)
{
    const bool cleaned = text->clean != text->raw.bytes;
    char *wrong = cleaned ? check_bytes(t, text, text->raw.bytes, text->raw.size) : NULL;
    if (!wrong && t->objective == OBJECTIVE_PAIRS)
        wrong = text_check_pairs(text);
    if (!wrong && t->objective == OBJECTIVE_TURNS)
        wrong = text_check_turns(text);
    return wrong ? wrong : check_bytes(t, text, text->clean, text->size);
}

char *tokenizer_unknown(const Tokenizer *t, const char *where, Span token)
{
    return unknown_word(&t->vocabulary, where, token.begin, (size_t)(token.end - token.begin));
}

/* ---- Decoding ---- */

/* Whether white space holds a line end or, in a stream, a blank line. */
static bool ends_paragraph(Span space, bool stream)
{
    const char *end = memchr(space.begin, '\n', (size_t)(space.end - space.begin));
    return end && (!stream || memchr(end + 1, '\n', (size_t)(space.end - end - 1)));
}

void tokenizer_learn_spacing(Tokenizer *t, Span text)
{
    Span token;
    const char *left_end = text.begin;
    int left = -1; /* the token before; -1 if it is the first, or after a token without an id */
    bool open = false;
    while (tokenizer_has_words(t) && split_word(&text.begin, text.end, t->punctuation, &token)) {
        const int known = vocabulary_find(&t->vocabulary, token.begin,
                                          (size_t)(token.end - token.begin)),
                  id = known < 0 ? t->unk : known;
        const Span between = {left_end, token.begin};
        open = open && !ends_paragraph(between, t->stream);
        const int right = id < 0 ? -1 : spacing_token(&t->vocabulary, id, &open);
        if (left >= 0 && right >= 0)
            spacing_learn(&t->spacing, &t->vocabulary, left, right, between.begin < between.end);
        if (left >= 0 && t->sep < 0) /* the tabs of pairs are [sep] */
            spacing_learn_tab(&t->spacing, &t->vocabulary, left, between);
        left = right;
        left_end = token.end;
    }
}

/* Whether a token separates the sides of a pair or, if it stands between others, two turns. */
static bool separates(const Tokenizer *t, int id, bool between)
{
    const bool later = t->objective == OBJECTIVE_TURNS && between;
    return t->opening ? later && id == t->bos : id == t->sep || (later && id == t->eos);
}

/* How many tokens of text belong to a mark of ChatML: the rest of its line. */
static int rest_of_mark(const Tokenizer *t, const int *ids, int count)
{
    int rest = 0;
    bool more = t->opening;
    for (; more && rest < count && tokenizer_is_text(t, ids[rest]); rest++)
        more = !strchr(tokenizer_word(t, ids[rest]), '\n');
    return rest;
}

/* Goes over tokens, and writes the text of those from number `from` on. */
static void decode(FILE *out, const Tokenizer *t, Decoding *d, const int *ids, int from, int count)
{
    for (int i = 0; i < count; i++) {
        const bool ends = ids[i] == t->bos || ids[i] == t->eos;
        const bool apart = separates(t, ids[i], d->begun && i + 1 < count);
        d->begun = true;
        if (apart && i >= from)
            fputc('\t', out);
        if (apart || (ends && i < from))
            d->left = -1;
        if (apart || ends) {
            i += rest_of_mark(t, ids + i + 1, count - i - 1);
            continue;
        }
        const int right =
            tokenizer_has_words(t) ? spacing_token(&t->vocabulary, ids[i], &d->open) : ids[i];
        if (i >= from && d->left >= 0 && tokenizer_has_words(t))
            fputs(spacing_between(&t->spacing, &t->vocabulary, d->left, right), out);
        if (i >= from)
            fputs(tokenizer_word(t, ids[i]), out);
        d->left = right;
    }
}

static char *decoded(const Tokenizer *t, Decoding *d, const int *ids, int from, int count)
{
    char *text;
    FILE *out = memory_stream(&text, NULL);
    decode(out, t, d, ids, from, count);
    fclose(out);
    return text;
}

char *tokenizer_decode_from(const Tokenizer *t, const int *ids, int from, int count)
{
    Decoding decoding = DECODING_BEGIN;
    return decoded(t, &decoding, ids, from, count);
}

char *tokenizer_decode_next(const Tokenizer *t, Decoding *d, const int *ids, int count)
{
    return decoded(t, d, ids, 0, count);
}

void tokenizer_pass(const Tokenizer *t, Decoding *d, const int *ids, int count)
{
    decode(NULL, t, d, ids, count, count);
}

char *tokenizer_decode(const Tokenizer *t, const int *ids, int count)
{
    return tokenizer_decode_from(t, ids, 0, count);
}

/* ---- The vocabulary of a text ---- */

/* The tokens of each chunk are counted by one thread. Which tokens were new to it in which chunk is
 * kept, so that at the end the order of first appearance is the text's, whoever counted what. */

/* In bytes. Anything longer is not a word of any language: the text has no white space. */
enum { LONGEST_WORD = 1000 };

/* What one thread has counted. */
typedef struct {
    WordCounts tokens;
    TokenCache cache;
    int moved; /* how many of the tokens were added to those of all threads */
} Counted;

/* The thread that counted a chunk, how many tokens it knew after it, and the bytes before it. */
typedef struct {
    int thread, known;
    size_t before;
} CountedChunk;

struct TokenCounts {
    TokenizerRules rules;
    Counted *threads;     /* stb_ds array */
    CountedChunk *chunks; /* stb_ds array */
    size_t size;          /* of all chunks, in bytes */
};

/* ---- Counting ---- */

/* Counts words, or those that subwords are made of. Returns NULL, or why the text cannot be read by
 * words. */
static inline char *count_words(Counted *c, bool subwords, const Text *chunk, Span part)
{
    CutWord words[WORDS_AT_ONCE];
    int count;
    while ((count = token_cache_cut(&c->cache, subwords, PUNCTUATION_ALONE, &part,
                                    text_span(chunk).end, words)))
        for (const CutWord *w = words; w < words + count; w++) {
            const size_t size = (size_t)(w->word.end - w->word.begin);
            if (token_cache_has(w)) {
                c->tokens.counts[*w->slot->ids]++;
                continue;
            }
            if (size > LONGEST_WORD && !subwords)
                return format_text(
                    _("%s: a word of %zu bytes, and %d are the most; --tokens char or "
                      "--tokens bpe reads any text"),
                    text_place(chunk, chunk->clean, w->word.begin), size, LONGEST_WORD);
            const int id = word_counts_add(&c->tokens, w->word.begin, size, 1);
            token_cache_put(&c->cache, w, &id, 1);
        }
    return NULL;
}

static char *count_characters(Counted *c, Span part)
{
    const TokenCache cache = c->cache; /* in registers */
    for (Span at; part.begin < part.end;) {
        const int id = token_cache_character(&cache, &c->tokens.words, &part, &at);
        if (id >= 0)
            c->tokens.counts[id]++;
        else
            word_counts_add(&c->tokens, at.begin, (size_t)(at.end - at.begin), 1);
    }
    return NULL;
}

static char *count_part(Counted *c, TokenizerKind kind, const Text *chunk, Span part)
{
    switch (kind) {
    case TOKENIZER_CHAR: return count_characters(c, part);
    case TOKENIZER_BPE: return count_words(c, true, chunk, part);
    case TOKENIZER_WORD: break;
    }
    return count_words(c, false, chunk, part);
}

/* What tokens are made of in a chunk that follows `before` bytes. */
static Span part_to_count(const TokenizerRules *rules, size_t before, const Text *chunk)
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

TextCut tokenizer_cut(bool stream, ObjectiveKind objective)
{
    return stream                         ? CUT_NOWHERE
           : objective == OBJECTIVE_PAIRS ? CUT_SIDES
           : objective == OBJECTIVE_TURNS ? CUT_TURNS
                                          : CUT_LINES;
}

/* Line ends, blank lines, the tabs of pairs and the names of turns are in no part: they get no
 * id. */
static char *count_chunk(Counted *c, TokenizerRules rules, const Text *chunk, size_t before)
{
    const TextCut cut = tokenizer_cut(rules.stream, rules.objective);
    Span text = part_to_count(&rules, before, chunk);
    char *wrong = NULL;
    if (!c->cache.bits)
        c->cache = token_cache_new(rules.kind, 1, SIZE_MAX);
    for (Span part; !wrong && split_part(&text.begin, text.end, cut, &part);)
        wrong = count_part(c, rules.kind, chunk, part);
    return wrong;
}

TokenCounts *token_counts_begin(TokenizerRules rules)
{
    TokenCounts *t = memory_new(1, sizeof *t, "counting");
    t->rules = rules;
    for (int i = 0; i < thread_limit(); i++)
        arrput(t->threads, (Counted){.tokens = word_counts_new()});
    return t;
}

/* A thread counts its chunks in the order of the text. */
void token_counts_add(TokenCounts *t, const Text *chunks, int count)
{
    CountedChunk *counted = arraddnptr(t->chunks, (size_t)count);
    char **wrong = memory_new((size_t)count, sizeof *wrong, "counting");
    for (int i = 0; i < count; t->size += chunks[i++].size)
        counted[i].before = t->size;
    OMP(parallel for schedule(monotonic : dynamic) if (count > 1))
    for (int i = 0; i < count; i++) {
        Counted *c = &t->threads[counted[i].thread = thread_index()];
        wrong[i] = count_chunk(c, t->rules, &chunks[i], counted[i].before);
        counted[i].known = c->tokens.words.count;
    }
    for (int i = 0; i < count; i++)
        if (wrong[i])
            die("%s", wrong[i]);
    free(wrong);
}

/* Adds the tokens of all threads, in the order of their first appearance in the text. A thread that
 * was alone has counted them in this order. */
static WordCounts add_up(TokenCounts *t)
{
    const bool alone = arrlen(t->threads) == 1;
    WordCounts all = alone ? t->threads->tokens : word_counts_new();
    for (ptrdiff_t i = 0; i < arrlen(t->chunks) && !alone; i++) {
        Counted *c = &t->threads[t->chunks[i].thread];
        for (; c->moved < t->chunks[i].known; c->moved++)
            word_counts_add(&all, vocabulary_word(&c->tokens.words, c->moved),
                            vocabulary_word_size(&c->tokens.words, c->moved),
                            c->tokens.counts[c->moved]);
    }
    for (ptrdiff_t i = 0; i < arrlen(t->threads); i++) {
        if (!alone)
            word_counts_free(&t->threads[i].tokens);
        token_cache_free(&t->threads[i].cache);
    }
    arrfree(t->threads);
    arrfree(t->chunks);
    return all;
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

static void put_words(Tokenizer *t, WordCounts *counted, const char *name, TokenizerRules rules)
{
    const Vocabulary *words = &counted->words;
    bool *kept = memory_new((size_t)words->count, sizeof *kept, "the vocabulary");
    const int passing = choose(kept, counted->counts, words->count, rules);
    if (!passing && words->count)
        die("%s has no %s that occurs %d times: all would be [unk]; choose a smaller --min-count",
            name, translated(tokenizer_unit(rules.kind)), rules.min_count);
    if (passing < words->count)
        t->unk = add_special(t, "[unk]");
    for (int id = 0; id < words->count; id++)
        if (kept[id])
            vocabulary_add(&t->vocabulary, vocabulary_word(words, id),
                           vocabulary_word_size(words, id), false);
    free(kept);
    word_counts_free(counted);
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
    if (objective_answers(rules.objective))
        t.sep = add_special(&t, "[sep]");
    if (rules.objective == OBJECTIVE_MASKED)
        t.mask = add_special(&t, "[mask]");
    WordCounts counted = add_up(counts);
    if (rules.kind == TOKENIZER_BPE) {
        /* Each merge needs a pair of the text, so that a text cannot fill a larger vocabulary than
         * this: memory is taken by the size. */
        const int64_t most = t.vocabulary.count + 256 + (int64_t)counts->size;
        const int size = (int)min_int64(rules.vocabulary, most);
        tokenizer_set_merges(&t, bpe_train(&t.vocabulary, &counted, size, rules.min_count));
    } else {
        put_words(&t, &counted, name, rules);
    }
    free(counts);
    return t;
}

Tokenizer tokenizer_train(const Text *text, TokenizerRules rules)
{
    TokenCounts *counts = token_counts_begin(rules);
    token_counts_add(counts, text, 1);
    return token_counts_end(counts, text->name, rules);
}
