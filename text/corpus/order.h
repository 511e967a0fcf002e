/* order.h: the places 0, 1, 2, ... in a random order, which is computed place by place: nothing is
 * sorted or stored, however many there are. It depends on the seed, the purpose and the epoch only.
 *
 * A Feistel network turns the numbers of 2^bits into one another. Their bits are two halves; in
 * each round, one half is changed by random bits that the other half chooses, which the same round
 * could undo: so no two numbers become the same. A number that becomes too large is turned again,
 * until it is a place. */
#ifndef PULGA_ORDER_H
#define PULGA_ORDER_H

#include "base/numbers/random.h"

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
