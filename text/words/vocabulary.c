/* vocabulary.c: ids are found by open addressing: a word's slot is its hash, or the next free one
 * after it. The hash (XXH3) has a random seed for each vocabulary. Special words are looked for in
 * a text by binary search in their sorted list, once at each byte that one of them begins with. */
#include "vocabulary.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <xxhash.h>

#include "base/base.h"
#include "base/numbers/random.h"
#include "base/system/system.h"

Vocabulary vocabulary_new(void)
{
    return (Vocabulary){.seed = random_seed()};
}

void vocabulary_free(Vocabulary *v)
{
    arrfree(v->bytes);
    arrfree(v->start);
    arrfree(v->special);
    arrfree(v->reserved);
    free(v->slots);
}

const char *vocabulary_word(const Vocabulary *v, int id)
{
    return v->bytes + v->start[id];
}

bool vocabulary_is_special(const Vocabulary *v, int id)
{
    return v->special[id];
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

int vocabulary_add(Vocabulary *v, const char *word, size_t size, bool special)
{
    if (2 * ((size_t)v->count + 1) > v->slot_count)
        grow(v);
    const size_t slot = slot_of(v, word, size);
    if (v->slots[slot] >= 0)
        return -1;
    arrput(v->start, (size_t)arrlen(v->bytes));
    arrput(v->special, special);
    char *copy = arraddnptr(v->bytes, size + 1);
    memcpy(copy, word, size);
    copy[size] = 0;
    return v->slots[slot] = v->count++;
}

int vocabulary_find(const Vocabulary *v, const char *word, size_t size)
{
    return v->count ? v->slots[slot_of(v, word, size)] : -1;
}

/* ---- Special words in a text ---- */

static int by_bytes(const void *a, const void *b, void *context)
{
    const Vocabulary *v = context;
    return strcmp(vocabulary_word(v, *(const int *)a), vocabulary_word(v, *(const int *)b));
}

void vocabulary_complete(Vocabulary *v)
{
    int *list = NULL; /* stb_ds array */
    for (int id = 0; id < v->count; id++)
        if (v->special[id] && *vocabulary_word(v, id)) /* an empty one is in no text */
            arrput(list, id);
    if (list)
        system_sort(list, arrlenu(list), sizeof *list, by_bytes, v);
    /* A word that begins with another one, as <s>2 with <s>, need not be looked for: the shorter
     * one is found. Without those, at most one word of the list begins at a place of a text, and
     * binary search finds it. */
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        const char *last = arrlen(v->reserved) ? vocabulary_word(v, arrlast(v->reserved)) : NULL;
        if (!last || strncmp(vocabulary_word(v, list[i]), last, strlen(last)))
            arrput(v->reserved, list[i]);
    }
    arrfree(list);
}

/* The rest of a text from some place on. */
typedef struct {
    const Vocabulary *vocabulary;
    const char *text;
    size_t size;
} Rest;

/* Compares the beginning of a text with a word: 0 if the text begins with it. */
static int compare_beginning(const void *a, const void *b)
{
    const Rest *rest = a;
    const int id = *(const int *)b;
    const size_t length = vocabulary_word_size(rest->vocabulary, id);
    const int order = memcmp(rest->text, vocabulary_word(rest->vocabulary, id),
                             length < rest->size ? length : rest->size);
    return order || length <= rest->size ? order : -1;
}

/* The first place from `at` on with one of the bytes that begin a special word, most often [. */
static const char *next_beginning(const char *at, const char *end, const bool *begins, int only)
{
    if (only >= 0)
        return memchr(at, only, (size_t)(end - at));
    while (at < end && !begins[(unsigned char)*at])
        at++;
    return at < end ? at : NULL;
}

const char *vocabulary_find_reserved(const Vocabulary *v, const char *text, size_t size, int *id)
{
    const char *end = text + size;
    bool begins[256] = {false};
    int only = arrlen(v->reserved) ? (unsigned char)*vocabulary_word(v, v->reserved[0]) : 0;
    for (ptrdiff_t i = 0; i < arrlen(v->reserved); i++) {
        const unsigned char first = (unsigned char)*vocabulary_word(v, v->reserved[i]);
        begins[first] = true;
        only = first == only ? only : -1;
    }
    for (const char *at = text; (at = next_beginning(at, end, begins, only)); at++) {
        const Rest rest = {v, at, (size_t)(end - at)};
        const int *found = bsearch(&rest, v->reserved, arrlenu(v->reserved), sizeof *v->reserved,
                                   compare_beginning);
        if (found) {
            *id = *found;
            return at;
        }
    }
    return NULL;
}
