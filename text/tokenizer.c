/* tokenizer.c: what a tokenizer is, and how its tokens become a text. From a text to its tokens:
 * encoder.c. Subwords are cut and joined in subwords/. */
#include "tokenizer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
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
    return wrong ? wrong : check_bytes(t, text, text->clean, text->size);
}

char *tokenizer_unknown(const Tokenizer *t, const char *where, Span token)
{
    return unknown_word(&t->vocabulary, where, token.begin, (size_t)(token.end - token.begin));
}

/* ---- Decoding ---- */

void tokenizer_learn_spacing(Tokenizer *t, Span text)
{
    Span token;
    const char *left_end = NULL;
    int left = -1; /* the token before; -1 if it is the first, or after a token without an id */
    while (tokenizer_has_words(t) && split_word(&text.begin, text.end, t->punctuation, &token)) {
        const int known = vocabulary_find(&t->vocabulary, token.begin,
                                          (size_t)(token.end - token.begin)),
                  right = known < 0 ? t->unk : known;
        if (left >= 0 && right >= 0)
            spacing_learn(&t->spacing, &t->vocabulary, left, right, token.begin != left_end);
        left = right;
        left_end = token.end;
    }
}

char *tokenizer_decode(const Tokenizer *t, const int *ids, int count)
{
    return tokenizer_decode_after(t, -1, ids, count);
}

char *tokenizer_decode_after(const Tokenizer *t, int before, const int *ids, int count)
{
    char *text;
    FILE *out = memory_stream(&text, NULL);
    int left = before == t->bos || before == t->eos || before == t->sep ? -1 : before;
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
