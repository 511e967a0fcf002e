/* vocabulary.c: ids are found by open addressing: a word's slot is its hash, or the next free one
 * after it. The hash (XXH3) has a random seed for each vocabulary. */
#include "vocabulary.h"

#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base.h"
#include "base/numbers/random.h"

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
    if (special && size) /* an empty one is in no text */
        arrput(v->reserved, v->count);
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

/* The first place from `at` on with one of the bytes that begin a special word, most often [. */
static const char *next_beginning(const char *at, const char *end, const bool *begins, int only)
{
    if (only >= 0)
        return memchr(at, only, (size_t)(end - at));
    while (at < end && !begins[(unsigned char)*at])
        at++;
    return at < end ? at : NULL;
}

/* The id of the shortest special word that a text begins with, or -1. */
static int special_at(const Vocabulary *v, const char *text, size_t size)
{
    int shortest = -1;
    for (ptrdiff_t i = 0; i < arrlen(v->reserved); i++) {
        const int id = v->reserved[i];
        const size_t length = vocabulary_word_size(v, id);
        if (length <= size && !memcmp(text, vocabulary_word(v, id), length) &&
            (shortest < 0 || length < vocabulary_word_size(v, shortest)))
            shortest = id;
    }
    return shortest;
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
        const int found = special_at(v, at, (size_t)(end - at));
        if (found >= 0) {
            *id = found;
            return at;
        }
    }
    return NULL;
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
    int id = vocabulary_find(&c->words, word, size);
    if (id < 0) {
        id = vocabulary_add(&c->words, word, size, false);
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
