/* random.h: random numbers by counting (Philox 4x32-10, Salmon et al. 2011).
 *
 * A number is a function of what it is for: the run's seed, a purpose, and four counters that say
 * which number of that purpose. Nothing is stored and nothing depends on the order of the calls or
 * on threads: whoever asks again, as backward does for forward's mask, gets the same number. */
#ifndef PULGA_RANDOM_H
#define PULGA_RANDOM_H

#include "base.h"

/* What a random number is for; its values are part of what makes a run repeatable: add, never
 * renumber. */
typedef enum {
    RANDOM_START,          /* a weight's first value:       (number, tensor, 0, 0)           */
    RANDOM_ORDER,          /* the order of an epoch:        (sequence, 0, 0, epoch)          */
    RANDOM_SPLIT,          /* which lines are held out:     (line, 0, 0, 0)                  */
    RANDOM_OFFSET,         /* where an epoch cuts a stream: (0, 0, 0, epoch)                 */
    RANDOM_DROP_EMBEDDING, /* dropout:                      (column, row, site, step), see   */
    RANDOM_DROP_ATTENTION, /*                               layers/dropout.h                 */
    RANDOM_DROP_MIXED,
    RANDOM_DROP_FEEDFORWARD,
    RANDOM_SAMPLE, /* a token drawn:                (place, continuation, prompt, 0)  */
} RandomPurpose;

typedef struct {
    uint32_t word[4];
} Random4;

/* Four random words for a counter (word[0] to word[3]) under a key. */
static inline Random4 random_words(uint32_t seed, uint32_t purpose, Random4 counter)
{
    uint32_t key0 = seed, key1 = purpose;
    uint32_t c0 = counter.word[0], c1 = counter.word[1];
    uint32_t c2 = counter.word[2], c3 = counter.word[3];
    for (int round = 0; round < 10; round++) {
        uint64_t left = (uint64_t)c0 * 0xD2511F53u, right = (uint64_t)c2 * 0xCD9E8D57u;
        c0 = (uint32_t)(right >> 32) ^ c1 ^ key0;
        c2 = (uint32_t)(left >> 32) ^ c3 ^ key1;
        c1 = (uint32_t)right;
        c3 = (uint32_t)left;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return (Random4){{c0, c1, c2, c3}};
}

/* The same for many counters side by side, each in the place of its words, as vector
 * instructions want them. */
enum { RANDOM_LANES = 16 };
void random_many_words(uint32_t words[4][RANDOM_LANES], uint32_t seed, uint32_t purpose);

/* 64 random bits: for orders and offsets. */
uint64_t random_bits(uint32_t seed, RandomPurpose purpose, Random4 counter);

/* Uniform in [0, 1), 53 bits. */
double random_uniform(uint32_t seed, RandomPurpose purpose, Random4 counter);

/* out[0..count) drawn from N(0, deviation), number i of the tensor at (i/2, tensor, 0, 0).
 * Rounded to float in every build, so that the double build starts from the same weights. */
void random_normal(Real *out, size_t count, double deviation, uint32_t seed, uint32_t tensor);

#endif
