/* random.h: random numbers from counters (Philox 4x32-10, Salmon et al. 2011).
 *
 * A number is a function of what it is for: the run's seed, a purpose, and four counters that
 * choose a number of that purpose. Nothing is stored, and nothing depends on the order of calls or
 * on threads: a second call returns the same number, so backward draws forward's mask again. */
#ifndef PULGA_RANDOM_H
#define PULGA_RANDOM_H

#include "base/base.h"

/* What a random number is for. A run is repeatable only if these keep their values: add, never
 * renumber. */
typedef enum {
    RANDOM_START,          /* a weight's first value:       (i/2, tensor, (i/2) >> 32, 0)     */
    RANDOM_ORDER,          /* the order of an epoch:        (half, round, 0, epoch)           */
    RANDOM_SPLIT,          /* which lines are held out:     (half, round, 0, 0)               */
    RANDOM_OFFSET,         /* where an epoch cuts a stream: (0, 0, 0, epoch)                  */
    RANDOM_DROP_EMBEDDING, /* dropout:                      (group, row, site, step): a group */
    RANDOM_DROP_ATTENTION, /*     is four columns; model/layers/dropout.c says which four     */
    RANDOM_DROP_MIXED,
    RANDOM_DROP_FEEDFORWARD,
    RANDOM_SAMPLE,   /* a token drawn: (place, continuation, prompt, 0) */
    RANDOM_EVALUATE, /* which pieces are evaluated: as RANDOM_ORDER */
    RANDOM_MASK,     /* which tokens are hidden: (row, 0, 0, step) */
    RANDOM_REPEAT,   /* a token that attend writes twice: (place, sequence, 0, 0) */
} RandomPurpose;

typedef struct {
    uint32_t word[4];
} Random4;

/* One of the ten rounds of Philox on the four words of a counter; the key changes with the
 * round. */
enum { RANDOM_ROUNDS = 10 };
static inline void random_round(uint32_t *w0, uint32_t *w1, uint32_t *w2, uint32_t *w3,
                                uint32_t seed, uint32_t purpose, int round)
{
    const uint64_t left = (uint64_t)*w0 * 0xD2511F53u, right = (uint64_t)*w2 * 0xCD9E8D57u;
    *w0 = (uint32_t)(right >> 32) ^ *w1 ^ (seed + (uint32_t)round * 0x9E3779B9u);
    *w2 = (uint32_t)(left >> 32) ^ *w3 ^ (purpose + (uint32_t)round * 0xBB67AE85u);
    *w1 = (uint32_t)right;
    *w3 = (uint32_t)left;
}

/* Four random words for a counter. */
static inline Random4 random_words(uint32_t seed, uint32_t purpose, Random4 counter)
{
    uint32_t *w = counter.word;
    for (int round = 0; round < RANDOM_ROUNDS; round++)
        random_round(&w[0], &w[1], &w[2], &w[3], seed, purpose, round);
    return counter;
}

/* Does so for 16 counters side by side, which vector instructions compute at once. Each counter's
 * words are replaced by the random ones. */
enum { RANDOM_LANES = 16 };
void random_many_words(uint32_t words[4][RANDOM_LANES], uint32_t seed, uint32_t purpose);

/* 64 random bits: for orders (sort by them) and offsets (modulo the number of places). */
uint64_t random_bits(uint32_t seed, RandomPurpose purpose, Random4 counter);

/* Uniform in [0, 1), 53 bits. */
double random_uniform(uint32_t seed, RandomPurpose purpose, Random4 counter);

/* 64 random bits of the system's, other ones in each call: the seed of a hash table whose keys come
 * from a file, so that nobody can prepare keys that collide. No result may depend on them. */
uint64_t random_seed(void);

/* out[0..count) drawn from the normal distribution with mean 0 and this standard deviation, number
 * i at the counter that RANDOM_START names. Rounded to float in every build, so that the double
 * build starts from the same weights. */
void random_normal(Real *out, size_t count, double deviation, uint32_t seed, uint32_t tensor);

/* The places 0, 1, 2, ... in a random order, which is computed place by place: nothing is
 * sorted or stored, however many there are. It depends on the seed, the purpose and the epoch only.
 *
 * A Feistel network turns the numbers of 2^bits into one another. Their bits are two halves; in
 * each round, one half is changed by random bits that the other half chooses, which the same round
 * could undo: so no two numbers become the same. A number that becomes too large is turned again,
 * until it is a place. */
typedef struct {
    uint64_t count;
    int high, low; /* bits of the two halves */
    uint32_t seed, epoch;
    RandomPurpose purpose;
} Order;

/* An order of `count` places, at most 2^63. */
Order order_new(uint64_t count, uint32_t seed, RandomPurpose purpose, int64_t epoch);

/* The place that comes i-th, from 0. */
uint64_t order_at(const Order *order, uint64_t i);

/* The other way round: which of them comes at this place. */
uint64_t order_find(const Order *order, uint64_t place);

#endif
