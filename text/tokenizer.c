/* tokenizer.c: next_token cuts a prompt into words or characters; encoding looks up their ids, and
 * the spacing is learned from where they touch. Subwords are cut and joined in subwords/. */
#include "tokenizer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/checksum.h"
#include "base/utf8.h"
#include "text/subwords/byte_level.h"
#include "text/words/nearest.h"

const char *const TOKENIZER_NAMES[] = {
    [TOKENIZER_WORD] = "word", [TOKENIZER_CHAR] = "char", [TOKENIZER_BPE] = "bpe", NULL};

Tokenizer tokenizer_new(void)
{
    return (Tokenizer){
        .bos = -1, .eos = -1, .unk = -1, .sep = -1, .mask = -1, .vocabulary = vocabulary_new()};
}

TextCut tokenizer_cut(const Tokenizer *t)
{
    if (t->stream)
        return CUT_NOWHERE;
    return t->objective == OBJECTIVE_PAIRS ? CUT_SIDES : CUT_LINES;
}

Objective tokenizer_objective(const Tokenizer *t)
{
    return (Objective){.kind = t->objective,
                       .bos = t->bos,
                       .eos = t->eos,
                       .sep = t->sep,
                       .mask = t->mask,
                       .vocabulary = t->vocabulary.count};
}

void tokenizer_free(Tokenizer *t)
{
    vocabulary_free(&t->vocabulary);
    spacing_free(&t->spacing);
    arrfree(t->merges);
    bpe_free(&t->bpe);
}

void tokenizer_set_merges(Tokenizer *t, BpeMerge *merges)
{
    t->kind = TOKENIZER_BPE;
    t->merges = merges;
    t->bpe = bpe_new(&t->vocabulary, merges, (int)arrlen(merges));
}

const char *tokenizer_unit(TokenizerKind kind)
{
    switch (kind) {
    case TOKENIZER_CHAR: return N_("character");
    case TOKENIZER_BPE: return N_("subword");
    case TOKENIZER_WORD: break;
    }
    return N_("word");
}

const char *tokenizer_units(TokenizerKind kind)
{
    switch (kind) {
    case TOKENIZER_CHAR: return N_("characters");
    case TOKENIZER_BPE: return N_("subwords");
    case TOKENIZER_WORD: break;
    }
    return N_("words");
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

/* In a vocabulary of subwords each byte is written as a character. */
int tokenizer_find(const Tokenizer *t, const char *word)
{
    const size_t size = strlen(word);
    if (t->kind != TOKENIZER_BPE)
        return vocabulary_find(&t->vocabulary, word, size);
    char *written = memory_take(2 * size + 1);
    const int id = vocabulary_find(&t->vocabulary, written, byte_level_write(written, word, size));
    free(written);
    return id;
}

bool tokenizer_is_text(const Tokenizer *t, int id)
{
    return !vocabulary_is_special(&t->vocabulary, id);
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
    const int rest[] = {
        t->bos,       t->eos,       t->unk,    t->sep,           t->mask, (int)t->punctuation,
        (int)t->kind, (int)t->form, t->stream, (int)t->objective};
    return checksum_continue(checksum, rest, sizeof rest);
}

/* The next word or character from *at, which moves past it; false if there is none. */
static bool next_token(const Tokenizer *t, const char **at, const char *end, Span *token)
{
    switch (t->kind) {
    case TOKENIZER_CHAR: return split_character(at, end, token);
    case TOKENIZER_BPE: abort(); /* these are cut by their merges */
    case TOKENIZER_WORD: break;
    }
    return split_word(at, end, t->punctuation, token);
}

/* ---- Encoding ---- */

/* One line about a special token in a text. Such a text is refused, since other programs that open
 * the model would read it as that token. The remedy for [bos] is [ bos], a space after its first
 * character. */
static char *reserved_message(const char *where, const char *token)
{
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
    char *message = reserved_message(place, tokenizer_word(t, id));
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
    return wrong ? wrong : check_bytes(t, text, text->clean, text->size);
}

static int find(const Tokenizer *t, Span token)
{
    return vocabulary_find(&t->vocabulary, token.begin, (size_t)(token.end - token.begin));
}

/* Appends the ids of the tokens from text->begin on, up to the first that is not known. Returns
 * false if there is one; text->begin is then after it. Any text is made of known subwords. */
static bool encode_known(const Tokenizer *t, Span *text, int **ids, Span *unknown)
{
    if (t->kind == TOKENIZER_BPE) {
        bpe_encode(&t->bpe, *text, ids);
        return true;
    }
    while (next_token(t, &text->begin, text->end, unknown)) {
        const int id = find(t, *unknown);
        if (id < 0)
            return false;
        arrput(*ids, id);
    }
    return true;
}

char *tokenizer_unknown(const Tokenizer *t, const char *where, Span token)
{
    return unknown_word(&t->vocabulary, where, token.begin, (size_t)(token.end - token.begin));
}

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
    const int id = find(t, (Span){lower, lower + size});
    free(lower);
    return id >= 0 && vocabulary_is_special(&t->vocabulary, id) ? -1 : id;
}

static void note_lowered(Encoding *e, Span word)
{
    enum { MOST = 10 };
    if (e->lowered_count > MOST)
        return;
    const char *before = e->lowered ? e->lowered : "", *comma = e->lowered ? ", " : "";
    char *longer =
        e->lowered_count++ == MOST
            ? format_text("%s%s…", before, comma)
            : format_text("%s%s%.*s", before, comma, (int)(word.end - word.begin), word.begin);
    free(e->lowered);
    e->lowered = longer;
}

/* Appends the ids of a clean part of a prompt, or says in e->wrong why that is not possible. */
static void encode_clean(const Tokenizer *t, Encoding *e, const char *name, Span text)
{
    Span unknown;
    while (!encode_known(t, &text, &e->ids, &unknown)) {
        int id = find_lower(t, unknown);
        if (id >= 0)
            note_lowered(e, unknown);
        id = id < 0 ? t->unk : id;
        if (id < 0) {
            e->wrong = tokenizer_unknown(t, name, unknown);
            return;
        }
        arrput(e->ids, id);
    }
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
        e->wrong = reserved_message(name, tokenizer_word(t, id));
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

Encoding tokenizer_encode_prompt(const Tokenizer *t, const char *name, const char *bytes,
                                 size_t size)
{
    Encoding e = {0};
    const Span prompt = {bytes, bytes + size};
    if (t->bos >= 0)
        arrput(e.ids, t->bos);
    if (t->objective == OBJECTIVE_MASKED)
        encode_gaps(t, &e, name, prompt);
    else if (find_gap(prompt))
        e.wrong = format_text(_("%s has %s, but the model was not trained to fill gaps; train one "
                                "with --objective masked"),
                              name, MASK);
    else if (t->objective == OBJECTIVE_PAIRS)
        encode_pair(t, &e, name, prompt);
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

/* ---- Decoding ---- */

void tokenizer_learn_spacing(Tokenizer *t, Span text)
{
    Span token;
    const char *left_end = NULL;
    int left = -1; /* the token before; -1 if it is the first, or after a token without an id */
    while (tokenizer_has_words(t) && next_token(t, &text.begin, text.end, &token)) {
        const int known = find(t, token), right = known < 0 ? t->unk : known;
        if (left >= 0 && right >= 0)
            spacing_learn(&t->spacing, &t->vocabulary, left, right, token.begin != left_end);
        left = right;
        left_end = token.end;
    }
}

char *tokenizer_decode(const Tokenizer *t, const int *ids, int count)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    int left = -1;
    for (int i = 0; i < count; i++) {
        if (ids[i] == t->bos || ids[i] == t->eos)
            continue;
        if (ids[i] == t->sep) {
            fputc('\t', out);
            left = -1;
            continue;
        }
        if (left >= 0 && tokenizer_has_words(t) &&
            spacing_is_needed(&t->spacing, &t->vocabulary, left, ids[i]))
            fputc(' ', out);
        fputs(tokenizer_word(t, ids[i]), out);
        left = ids[i];
    }
    fclose(out);
    return text;
}
