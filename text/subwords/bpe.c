/* bpe.c: a short word is merged by looking for the lowest rank again and again, which is the
 * quickest way. A long one has a queue of its pairs, by rank and then by place, so that the time
 * does not grow with the square of its length. */
#include "bpe.h"

#include <limits.h>
#include <stb/stb_ds.h>
#include <utf8proc.h>

#include "base/base.h"
#include "base/heap.h"
#include "base/numbers/random.h"
#include "base/utf8.h"

/* The patterns, by hand. GPT-2's is
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * and PATTERN_DIGITS is the same for the text between two numbers, each of which is a word. Qwen's
 * is
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 *     \s*[\r\n]+|\s+(?!\S)|\s+
 *
 * and Llama's has \p{N}{1,3}. The alternatives are tried in this order, and none but the last ones,
 * which share the white space, needs a second look: what a word is follows from its first two
 * characters. */

/* ---- Words ---- */

typedef enum {
    CLASS_OTHER = 'o',
    CLASS_SPACE = 's',
    CLASS_LETTER = 'l',
    CLASS_NUMBER = 'n',
} CharacterClass;

/* \p{L} and \p{N}; combining marks are neither. */
static CharacterClass class_of(int32_t c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return CLASS_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return CLASS_NUMBER;
    default: return is_space(c) ? CLASS_SPACE : CLASS_OTHER;
    }
}

/* ASCII's classes, so that most texts need no look into Unicode's tables. */
static const char ascii[] = "ooooooooosssssoo" /* \t \n \v \f \r */
                            "oooooooooooooooo"
                            "sooooooooooooooo" /* the space */
                            "nnnnnnnnnnoooooo" /* 0-9 */
                            "olllllllllllllll" /* A-Z */
                            "lllllllllllooooo"
                            "olllllllllllllll" /* a-z */
                            "lllllllllllooooo";

/* The class of the character at *at, which moves past it. */
static inline CharacterClass class_next(const char **at, const char *end)
{
    const unsigned char byte = (unsigned char)**at;
    if (byte < 0x80) {
        ++*at;
        return (CharacterClass)ascii[byte];
    }
    return class_of(utf8_next(at, end));
}

/* The end of the run of a class from `at` on. Most runs are ASCII letters. */
static inline const char *run_end(const char *at, const char *end, CharacterClass class)
{
    if (class == CLASS_LETTER)
        at = after_letters(at, end, false);
    for (const char *next = at; at < end; at = next)
        if (class_next(&next, end) != class)
            break;
    return at;
}

/* The most numbers in a word. */
static const int MOST_NUMBERS[] = {
    [PATTERN_GPT2] = INT_MAX, [PATTERN_DIGITS] = 1, [PATTERN_QWEN] = 1, [PATTERN_LLAMA] = 3};

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The end of at most `most` numbers from `at` on. */
static const char *numbers_end(const char *at, const char *end, int most)
{
    for (const char *next = at; at < end && most--; at = next)
        if (class_next(&next, end) != CLASS_NUMBER)
            break;
    return at;
}

/* The end of a run of white space: after its last line end, if the pattern has lines; else before
 * its last character, if something follows and the run has more than that one. PATTERN_DIGITS sees
 * no further than the next number. */
static const char *space_end(const char *at, const char *end, WordPattern pattern)
{
    const char *last = at, *next = at, *line = NULL;
    CharacterClass class = CLASS_SPACE;
    for (const char *more = at; next < end; last = next, next = more) {
        if ((class = class_next(&more, end)) != CLASS_SPACE)
            break;
        if (ends_line(*next))
            line = more;
    }
    if (line && pattern_has_lines(pattern))
        return line;
    const bool all = class == CLASS_SPACE || (class == CLASS_NUMBER && pattern == PATTERN_DIGITS);
    return all || last == at ? next : last;
}

/* The bytes of the contraction at an apostrophe; 0 if there is none. In any case, ſ is an s. */
static size_t contraction_size(const char *at, const char *end, bool any_case)
{
    char after[3] = {0};
    for (int i = 0; i < 2 && ++at < end; i++) {
        after[i] = *at;
        if (any_case && *at >= 'A' && *at <= 'Z')
            after[i] = "abcdefghijklmnopqrstuvwxyz"[*at - 'A'];
    }
    if (*after && strchr("stmd", *after))
        return 2;
    const bool has_two = !strcmp(after, "re") || !strcmp(after, "ve") || !strcmp(after, "ll") ||
                         (any_case && !strcmp(after, "ſ"));
    return has_two ? 3 : 0;
}

/* Whether the first character of a word, which is no letter, is followed by letters, or the like,
 * that are part of it. */
static bool joins(char first, CharacterClass next, WordPattern pattern)
{
    if (next == CLASS_LETTER && pattern_has_lines(pattern))
        return !ends_line(first);
    return first == ' ' && (next == CLASS_LETTER || next == CLASS_OTHER ||
                            (next == CLASS_NUMBER && pattern == PATTERN_GPT2));
}

/* The alternatives of the pattern, in its order. */
static const char *word_end(const char *at, const char *end, WordPattern pattern)
{
    const char *letter = at + (*at == ' ');
    if (letter < end && (unsigned char)*letter < 0x80 && ascii[(int)*letter] == CLASS_LETTER)
        return run_end(letter + 1, end, CLASS_LETTER); /* most words, by all patterns */
    const bool lines = pattern_has_lines(pattern);
    const size_t contraction = *at == '\'' ? contraction_size(at, end, lines) : 0;
    if (contraction)
        return at + contraction;
    const char *after = at;
    CharacterClass class = class_next(&after, end);
    if (after < end && (*at == ' ' || (lines && class != CLASS_LETTER && class != CLASS_NUMBER))) {
        const char *second = after;
        const CharacterClass next = class_next(&second, end);
        if (joins(*at, next, pattern)) {
            after = second;
            class = next;
        }
    }
    switch (class) {
    case CLASS_SPACE: return space_end(at, end, pattern);
    case CLASS_NUMBER: return numbers_end(after, end, MOST_NUMBERS[pattern] - 1);
    case CLASS_LETTER:
    case CLASS_OTHER: break;
    }
    after = run_end(after, end, class);
    while (class == CLASS_OTHER && lines && after < end && ends_line(*after))
        after++;
    return after;
}

bool pattern_word(const char **at, const char *end, WordPattern pattern, Span *word)
{
    if (*at >= end)
        return false;
    word->begin = *at;
    *at = word->end = word_end(*at, end, pattern);
    return true;
}

const char *pattern_word_after(const char *text, size_t before, const char *end,
                               WordPattern pattern)
{
    const char *at = text;
    Span word = {text, text};
    while (word.end <= text + before && pattern_word(&at, end, pattern, &word))
        ;
    return word.end;
}

/* ---- Bytes as characters ---- */

/* 0x00-20, 0x7F-A0 and 0xAD cannot be printed: these 68 are U+0100 to U+0143, in order. */
int32_t byte_level_character(unsigned char byte)
{
    if (byte <= 0x20)
        return 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0)
        return 0x121 + (byte - 0x7F);
    return byte == 0xAD ? 0x143 : byte;
}

int byte_level_byte(int32_t c)
{
    if (c >= 0x100 && c <= 0x120)
        return c - 0x100;
    if (c >= 0x121 && c <= 0x142)
        return c - 0x121 + 0x7F;
    if (c == 0x143)
        return 0xAD;
    return c >= 0 && c < 0x100 && byte_level_character((unsigned char)c) == c ? c : -1;
}

size_t byte_level_write(char *out, const char *bytes, size_t size)
{
    size_t written = 0;
    for (size_t i = 0; i < size; i++)
        written += utf8_put(out + written, byte_level_character((unsigned char)bytes[i]));
    out[written] = 0;
    return written;
}

/* A new pair takes the first free slot from its hash on. The table doubles when it is
 * half full, and all pairs are put again. */
static PairSlot *slots_of(int bits)
{
    return memory_new((size_t)1 << bits, sizeof(PairSlot), "the pairs of tokens");
}

PairTable pair_table_new(void)
{
    PairTable table = {.bits = 10, .seed = random_seed()};
    table.slots = slots_of(table.bits);
    return table;
}

void pair_table_free(PairTable *table)
{
    free(table->slots);
}

static void grow(PairTable *table)
{
    PairTable larger = *table;
    larger.slots = slots_of(++larger.bits);
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        const uint64_t pair = table->slots[i].key - 1;
        if (table->slots[i].key)
            *pair_table_slot(&larger, (int)(pair >> 32), (int)(uint32_t)pair) = table->slots[i];
    }
    free(table->slots);
    *table = larger;
}

int64_t *pair_table_at(PairTable *table, int left, int right)
{
    if (2 * (table->used + 1) > (size_t)1 << table->bits)
        grow(table);
    PairSlot *slot = pair_table_slot(table, left, right);
    if (!slot->key) {
        table->used++;
        slot->key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    }
    return &slot->value;
}

/* ---- What is known ---- */

int bpe_byte_id(const Vocabulary *v, int byte)
{
    char name[4];
    return vocabulary_find(v, name, utf8_put(name, byte_level_character((unsigned char)byte)));
}

int bpe_find(const Vocabulary *v, Span bytes)
{
    const size_t size = (size_t)(bytes.end - bytes.begin);
    char *written = memory_take(2 * size + 1);
    const int id = vocabulary_find(v, written, byte_level_write(written, bytes.begin, size));
    free(written);
    return id;
}

/* A token that is not made of bytes is the text that it is, as in Hugging Face's decoder. */
static void add_bytes(Bpe *bpe, const Vocabulary *v, int id)
{
    const char *word = vocabulary_word(v, id), *at = word, *end = word + strlen(word);
    const size_t begin = arrlenu(bpe->bytes);
    int byte = 0;
    arrput(bpe->start, begin);
    char *bytes = arraddnptr(bpe->bytes, end - word + 1), *out = bytes;
    while (at < end && byte >= 0 && !vocabulary_is_special(v, id))
        if ((byte = byte_level_byte(utf8_next(&at, end))) >= 0)
            *out++ = (char)byte;
    if (at < end || byte < 0)
        out = stpcpy(bytes, word);
    *out++ = 0;
    arrsetlen(bpe->bytes, begin + (size_t)(out - bytes));
}

Bpe bpe_new(const Vocabulary *v, const BpeMerge *merges, int count)
{
    Bpe bpe = {.ranks = pair_table_new()};
    for (int byte = 0; byte < 256; byte++)
        bpe.byte_ids[byte] = bpe_byte_id(v, byte);
    bpe.merged = memory_new((size_t)count + 1, sizeof *bpe.merged, "the merges");
    for (int i = 0; i < count; i++) {
        *pair_table_at(&bpe.ranks, merges[i].left, merges[i].right) = i + 1;
        bpe.merged[i] = merges[i].id;
    }
    for (int id = 0; id < v->count; id++)
        add_bytes(&bpe, v, id);
    arrput(bpe.start, (size_t)arrlen(bpe.bytes));
    return bpe;
}

void bpe_free(Bpe *bpe)
{
    pair_table_free(&bpe->ranks);
    free(bpe->merged);
    arrfree(bpe->bytes);
    arrfree(bpe->start);
}

/* ---- A long word ---- */

/* A token of a word, in a list of those that are left. */
typedef struct WordPiece {
    int id;               /* -1: merged into the one before it */
    uint32_t left, right; /* its neighbours; 0 and the word's size: none */
} WordPiece;

/* Lower numbers come first: those of a lower rank, and of equals the ones further left. */
static inline bool is_lower(const uint64_t *a, const uint64_t *b)
{
    return *a < *b;
}
HEAP(uint64_t, is_lower)

/* The rank of the pair of a piece and the next one, plus 1; 0 if they cannot be merged. */
static int64_t rank_at(const Bpe *bpe, const BpeWord *w, uint32_t at)
{
    const uint32_t next = w->pieces[at].right;
    if (next == arrlenu(w->pieces))
        return 0;
    return pair_table_get(&bpe->ranks, w->pieces[at].id, w->pieces[next].id);
}

static void queue_pair(const Bpe *bpe, BpeWord *w, uint32_t at)
{
    const int64_t rank = rank_at(bpe, w, at);
    if (rank)
        heap_put(&w->queue, (uint64_t)rank << 32 | at);
}

/* Merges a piece with the next one. */
static void merge_at(const Bpe *bpe, BpeWord *w, uint32_t at, int id)
{
    WordPiece *piece = &w->pieces[at], *next = &w->pieces[piece->right];
    piece->id = id;
    piece->right = next->right;
    next->id = -1;
    if (piece->right < arrlenu(w->pieces)) {
        w->pieces[piece->right].left = at;
        queue_pair(bpe, w, at);
    }
    if (at)
        queue_pair(bpe, w, piece->left);
}

/* Some pairs in the queue are gone when their turn comes: a neighbour was merged. */
static int merge_long_word(const Bpe *bpe, BpeWord *w, Span word, int *ids)
{
    const size_t bytes = (size_t)(word.end - word.begin);
    if (bytes >= UINT32_MAX)
        die("the text has a word of %zu bytes; this is too long", bytes);
    const uint32_t size = (uint32_t)bytes;
    arrsetlen(w->pieces, size);
    for (uint32_t i = 0; i < size; i++)
        w->pieces[i] = (WordPiece){bpe->byte_ids[(unsigned char)word.begin[i]], i - !!i, i + 1};
    for (uint32_t i = 0; i + 1 < size; i++)
        queue_pair(bpe, w, i);
    while (arrlen(w->queue)) {
        const uint64_t pair = heap_take(w->queue);
        const uint32_t at = (uint32_t)pair;
        if (w->pieces[at].id >= 0 && rank_at(bpe, w, at) == (int64_t)(pair >> 32))
            merge_at(bpe, w, at, bpe->merged[(pair >> 32) - 1]);
    }
    int count = 0;
    for (uint32_t at = 0; at < size; at = w->pieces[at].right)
        ids[count++] = w->pieces[at].id;
    return count;
}

void bpe_word_free(BpeWord *w)
{
    arrfree(w->pieces);
    arrfree(w->queue);
}

/* ---- A short word ---- */

#define NO_RANK UINT32_MAX

/* Its tokens, and the rank of each with the next one; the last one has none. */
typedef struct {
    int count, ids[LONGEST_KEY];
    uint32_t ranks[LONGEST_KEY];
} ShortWord;

static uint32_t rank_of(const Bpe *bpe, int left, int right)
{
    return (uint32_t)pair_table_get(&bpe->ranks, left, right) - 1;
}

/* Where the pair to be merged next begins: the first of those with the lowest rank. */
static int lowest_rank(const ShortWord *w)
{
    int lowest = 0;
    for (int i = 1; i < w->count; i++)
        lowest = w->ranks[i] < w->ranks[lowest] ? i : lowest;
    return lowest;
}

/* Merges a token with the next one. */
static void merge_short_at(const Bpe *bpe, ShortWord *w, int at)
{
    w->ids[at] = bpe->merged[w->ranks[at]];
    w->count--;
    for (int i = at + 1; i < w->count; i++) {
        w->ids[i] = w->ids[i + 1];
        w->ranks[i] = w->ranks[i + 1];
    }
    w->ranks[at] = at + 1 < w->count ? rank_of(bpe, w->ids[at], w->ids[at + 1]) : NO_RANK;
    if (at)
        w->ranks[at - 1] = rank_of(bpe, w->ids[at - 1], w->ids[at]);
}

static int merge_short_word(const Bpe *bpe, Span word, int *ids)
{
    ShortWord w = {.count = (int)(word.end - word.begin)};
    for (int i = 0; i < w.count; i++)
        w.ids[i] = bpe->byte_ids[(unsigned char)word.begin[i]];
    for (int i = 0; i + 1 < w.count; i++)
        w.ranks[i] = rank_of(bpe, w.ids[i], w.ids[i + 1]);
    w.ranks[w.count - 1] = NO_RANK;
    for (int at; w.ranks[at = lowest_rank(&w)] != NO_RANK;)
        merge_short_at(bpe, &w, at);
    memcpy(ids, w.ids, (size_t)w.count * sizeof *ids);
    return w.count;
}

int bpe_encode_word(const Bpe *bpe, BpeWord *work, Span word, int *ids)
{
    return word.end - word.begin > LONGEST_KEY ? merge_long_word(bpe, work, word, ids)
                                               : merge_short_word(bpe, word, ids);
}

/* ---- Decoding ---- */

Span bpe_bytes(const Bpe *bpe, int id)
{
    return (Span){bpe->bytes + bpe->start[id], bpe->bytes + bpe->start[id + 1] - 1};
}

/* How many bytes a character has that begins with this one; 0 if none does. */
static size_t character_size(unsigned char first)
{
    if (first < 0xC2 || first > 0xF4)
        return first < 0x80;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Whether some bytes are the first ones of a character that has more. The smallest and the largest
 * bytes that may follow tell: what begins with E0, say, goes on with A0 to BF. */
static bool is_beginning(const char *bytes, size_t count)
{
    const size_t size = character_size((unsigned char)*bytes);
    char low[4], high[4];
    memset(low, 0x80, sizeof low);
    memset(high, 0xBF, sizeof high);
    memcpy(low, bytes, count);
    memcpy(high, bytes, count);
    return count < size && (utf8_is_valid(low, size) || utf8_is_valid(high, size));
}

/* If a byte does not go on with what is held, it may begin a character of its own. */
void bpe_stream_put(BpeStream *stream, Span bytes, FILE *out)
{
    for (; bytes.begin < bytes.end; bytes.begin++) {
        stream->held[stream->count++] = *bytes.begin;
        if (is_beginning(stream->held, stream->count))
            continue;
        const bool begins = stream->count > 1 && is_beginning(bytes.begin, 1);
        fwrite(stream->held, 1, stream->count - begins, out);
        *stream->held = *bytes.begin;
        stream->count = begins;
    }
}

void bpe_stream_end(BpeStream *stream, FILE *out)
{
    fwrite(stream->held, 1, stream->count, out);
    stream->count = 0;
}
