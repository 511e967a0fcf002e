/* word_key.h: a short word as three numbers, which are compared and hashed at once.
 *
 * "gato" is the bytes g a t o, 19 zeros, and 4, its size. Nearly all words of a text have at most
 * 23 bytes; longer ones have no key. */
#ifndef PULGA_WORD_KEY_H
#define PULGA_WORD_KEY_H

#include <stdint.h>
#include <string.h>

#include "text/words/split.h"

enum { LONGEST_KEY = 23 };

typedef struct {
    uint64_t part[3];
} WordKey;

/* The key of a word of at most LONGEST_KEY bytes. Near the end of the text, where 24 bytes cannot
 * be read, the word is copied first. The bytes after the word are masked out by as many zeros: this
 * needs no branch, which the processor could not foresee. */
static inline WordKey word_key(Span word, const char *text_end)
{
    static const unsigned char mask[48] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                           0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                           0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const size_t size = (size_t)(word.end - word.begin);
    char copy[24] = {0};
    const char *bytes = word.begin;
    if (text_end - bytes < 24)
        bytes = memcpy(copy, word.begin, size);
    WordKey key, keep;
    memcpy(&key, bytes, sizeof key);
    memcpy(&keep, mask + 24 - size, sizeof keep);
    return (WordKey){{key.part[0] & keep.part[0], key.part[1] & keep.part[1],
                      (key.part[2] & keep.part[2]) | (uint64_t)size << 56}};
}

static inline bool word_key_equal(WordKey a, WordKey b)
{
    return a.part[0] == b.part[0] && a.part[1] == b.part[1] && a.part[2] == b.part[2];
}

__extension__ typedef unsigned __int128 WideProduct;

/* The upper half of a product added to the lower one: every bit depends on all bits of both. */
static inline uint64_t word_key_mix(uint64_t a, uint64_t b)
{
    const WideProduct product = (WideProduct)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* With a random seed, nobody can prepare words that collide. */
static inline uint64_t word_key_hash(WordKey key, uint64_t seed)
{
    return word_key_mix(word_key_mix(key.part[0] ^ seed, key.part[1] ^ 0x9E3779B97F4A7C15u) ^
                            key.part[2],
                        seed ^ 0xD1B54A32D192ED03u);
}

#endif
