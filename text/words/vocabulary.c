/* vocabulary.c: ids are found by open addressing: a word's slot is its hash, or the next free one
 * after it. The hash (XXH3) has a random seed for each vocabulary. */
#include "vocabulary.h"

#include <limits.h>
#include <stb/stb_ds.h>
#include <xxhash.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "base/utf8.h"

Vocabulary vocabulary_new(void)
{
    return (Vocabulary){.seed = random_seed()};
}

void vocabulary_free(Vocabulary *v)
{
    arrfree(v->bytes);
    arrfree(v->start);
    arrfree(v->kinds);
    arrfree(v->reserved.ids);
    arrfree(v->whole.ids);
    free(v->slots);
}

const char *vocabulary_word(const Vocabulary *v, int id)
{
    return v->bytes + v->start[id];
}

bool vocabulary_is_special(const Vocabulary *v, int id)
{
    return v->kinds[id] == WORD_SPECIAL || v->kinds[id] == WORD_UNUSED;
}

size_t vocabulary_word_size(const Vocabulary *v, int id)
{
    const size_t end = id + 1 < v->count ? v->start[id + 1] : (size_t)arrlen(v->bytes);
    return end - v->start[id] - 1;
}

/* The slot that holds a word, or the free one where it would be put. There is always a free one,
 * since the table is at most half full; its size is a power of 2, so a mask does for a modulus. */
static size_t slot_of(const Vocabulary *v, const char *word, size_t size)
{
    size_t slot = XXH3_128bits_withSeed(word, size, v->seed).low64 & (v->slot_count - 1);
    for (;; slot = (slot + 1) & (v->slot_count - 1)) {
        const int id = v->slots[slot];
        if (id < 0 ||
            (vocabulary_word_size(v, id) == size && !memcmp(vocabulary_word(v, id), word, size)))
            return slot;
    }
}

/* Doubles the table and puts all words in again. */
static void grow(Vocabulary *v)
{
    v->slot_count = v->slot_count ? 2 * v->slot_count : 64;
    free(v->slots);
    v->slots = memory_new(v->slot_count, sizeof *v->slots, "the vocabulary");
    memset(v->slots, -1, v->slot_count * sizeof *v->slots);
    for (int id = 0; id < v->count; id++)
        v->slots[slot_of(v, vocabulary_word(v, id), vocabulary_word_size(v, id))] = id;
}

static void put_in_set(const Vocabulary *v, WordSet *set, int id)
{
    const unsigned char *word = (const unsigned char *)vocabulary_word(v, id);
    if (!*word) /* it is in no text */
        return;
    set->only = !arrlen(set->ids) || set->only == *word ? *word : -1;
    arrput(set->ids, id);
    set->first[*word] = true;
    if (word[1])
        set->second[word[1]] = true;
    else
        memset(set->second, true, sizeof set->second);
}

/* The slot of a word that may be new. */
static size_t slot_to_add(Vocabulary *v, const char *word, size_t size)
{
    if (2 * ((size_t)v->count + 1) > v->slot_count)
        grow(v);
    return slot_of(v, word, size);
}

/* Adds a word at its slot, which is free; returns its id. */
static int add_at(Vocabulary *v, size_t slot, const char *word, size_t size, bool special)
{
    arrput(v->start, (size_t)arrlen(v->bytes));
    arrput(v->kinds, special ? WORD_SPECIAL : WORD_PLAIN);
    char *copy = arraddnptr(v->bytes, size + 1);
    memcpy(copy, word, size);
    copy[size] = 0;
    v->slots[slot] = v->count++;
    if (special)
        put_in_set(v, &v->reserved, v->count - 1);
    return v->count - 1;
}

int vocabulary_add(Vocabulary *v, const char *word, size_t size, bool special)
{
    const size_t slot = slot_to_add(v, word, size);
    return v->slots[slot] >= 0 ? -1 : add_at(v, slot, word, size, special);
}

int vocabulary_find(const Vocabulary *v, const char *word, size_t size)
{
    return v->count ? v->slots[slot_of(v, word, size)] : -1;
}

/* ---- Words in a text ---- */

/* A byte that no other word has stays in the set: this costs only a closer look. */
void vocabulary_allow(Vocabulary *v, int id, WordKind kind)
{
    for (ptrdiff_t i = arrlen(v->reserved.ids) - 1; i >= 0; i--)
        if (v->reserved.ids[i] == id)
            arrdel(v->reserved.ids, i);
    v->kinds[id] = kind;
    if (kind != WORD_UNUSED)
        put_in_set(v, &v->whole, id);
}

/* The first place from `at` on with one of the bytes that begin a word, most often [ or <. */
static const char *next_beginning(const WordSet *set, const char *at, const char *end)
{
    if (set->only >= 0)
        return memchr(at, set->only, (size_t)(end - at));
    while (at < end && !set->first[(unsigned char)*at])
        at++;
    return at < end ? at : NULL;
}

/* The id of the longest word that a text begins with, or -1. */
static int longest_at(const Vocabulary *v, const WordSet *set, const char *text, size_t size)
{
    int longest = -1;
    if (size > 1 && !set->second[(unsigned char)text[1]])
        return -1;
    for (ptrdiff_t i = 0; i < arrlen(set->ids); i++) {
        const int id = set->ids[i];
        const size_t length = vocabulary_word_size(v, id);
        if (length <= size && !memcmp(text, vocabulary_word(v, id), length) &&
            (longest < 0 || length > vocabulary_word_size(v, longest)))
            longest = id;
    }
    return longest;
}

static const char *find_in_set(const Vocabulary *v, const WordSet *set, const char *text,
                               size_t size, int *id)
{
    const char *end = text + size;
    if (!arrlen(set->ids))
        return NULL;
    for (const char *at = text; (at = next_beginning(set, at, end)); at++) {
        const int found = longest_at(v, set, at, (size_t)(end - at));
        if (found >= 0) {
            *id = found;
            return at;
        }
    }
    return NULL;
}

const char *vocabulary_find_reserved(const Vocabulary *v, const char *text, size_t size, int *id)
{
    return find_in_set(v, &v->reserved, text, size, id);
}

const char *vocabulary_find_whole(const Vocabulary *v, const char *text, size_t size, int *id)
{
    return find_in_set(v, &v->whole, text, size, id);
}

/* A vocabulary gives the words their ids. */

WordCounts word_counts_new(void)
{
    return (WordCounts){.words = vocabulary_new()};
}

void word_counts_free(WordCounts *c)
{
    vocabulary_free(&c->words);
    arrfree(c->counts);
}

int word_counts_add(WordCounts *c, const char *word, size_t size, int64_t times)
{
    const size_t slot = slot_to_add(&c->words, word, size);
    int id = c->words.slots[slot];
    if (id < 0) {
        id = add_at(&c->words, slot, word, size, false);
        arrput(c->counts, 0);
    }
    c->counts[id] += times;
    return id;
}

int64_t word_counts_of(const WordCounts *c, const char *word)
{
    const int id = vocabulary_find(&c->words, word, strlen(word));
    return id < 0 ? 0 : c->counts[id];
}

/* ---- The nearest words ---- */

/* Computes the edit distance from the unknown word to every word of the vocabulary, with the usual
 * table, of which only one row is kept at a time. The three nearest words are kept. */

/* Code points of a word that is compared, since the time grows with their square; and words that
 * are suggested. */
enum { LONGEST = 100, MOST = 3 };

/* A word as code points, so that ñ is one letter although it takes two bytes. */
typedef struct {
    int32_t at[LONGEST];
    int length; /* LONGEST + 1 if it has more */
} Letters;

static Letters letters_of(const char *word, size_t size)
{
    Letters letters = {.length = 0};
    for (const char *at = word, *end = word + size; at < end && letters.length <= LONGEST;
         letters.length++) {
        const int32_t c = utf8_next(&at, end);
        if (letters.length < LONGEST)
            letters.at[letters.length] = c;
    }
    return letters;
}

/* How many letters must be inserted, removed or changed. row[j] is the distance from the first i
 * letters of a to the first j of b; `diagonal` is that from the first i - 1 to the first j - 1. */
static int distance(const Letters *a, const Letters *b)
{
    int row[LONGEST + 1] = {0};
    for (int j = 0; j <= b->length; j++)
        row[j] = j;
    for (int i = 1; i <= a->length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b->length; j++) {
            const int changed = diagonal + (a->at[i - 1] != b->at[j - 1]);
            diagonal = row[j];
            row[j] = min_int(changed, min_int(row[j], row[j - 1]) + 1);
        }
    }
    return row[b->length];
}

int letters_apart(const char *word, size_t size, const char *other)
{
    const Letters a = letters_of(word, size), b = letters_of(other, strlen(other));
    return max_int(a.length, b.length) > LONGEST ? INT_MAX : distance(&a, &b);
}

/* The ids of the nearest words, the nearest first; returns how many there are. Both arrays have
 * room for one more, which a fourth word takes before it is forgotten. */
static int nearest(const Vocabulary *v, const Letters *word, int ids[MOST + 1])
{
    int count = 0, away[MOST + 1] = {0};
    for (int id = 0; id < v->count; id++) {
        const char *other = vocabulary_word(v, id);
        const Letters known = letters_of(other, strlen(other));
        if (known.length > LONGEST || vocabulary_is_special(v, id))
            continue;
        const int d = distance(word, &known);
        if (d >= max_int(known.length, word->length))
            continue;
        int place = count; /* its own, after all that are at most as far away */
        for (; place > 0 && away[place - 1] > d; place--) {
            away[place] = away[place - 1];
            ids[place] = ids[place - 1];
        }
        away[place] = d;
        ids[place] = id;
        count = min_int(count + 1, MOST);
    }
    return count;
}

char *unknown_word(const Vocabulary *v, const char *where, const char *word, size_t size)
{
    const Letters letters = letters_of(word, size);
    const char *cut = word, *end = word + size;
    for (int i = 0; i < LONGEST && cut < end; i++)
        utf8_next(&cut, end);
    int ids[MOST + 1], count = letters.length > LONGEST ? 0 : nearest(v, &letters, ids);
    char *line = format_text(_("%s: the model does not know '%.*s%s'"), where, (int)(cut - word),
                             word, cut < end ? "…" : "");
    for (int i = 0; i < count; i++)
        extend_text(&line, i ? ", %s" : _("; its nearest: %s"), vocabulary_word(v, ids[i]));
    text_sanitize(line);
    return line;
}
