/* order.h: the places 0, 1, 2, ... in a random order. It depends on the seed, the purpose and the
 * epoch only, not on what was drawn before. */
#ifndef PULGA_ORDER_H
#define PULGA_ORDER_H

#include <stddef.h>

#include "base/random.h"

/* A place, and the random number that it is sorted by. */
typedef struct {
    uint64_t key;
    size_t place;
} OrderKey;

/* keys (count): the places 0, 1, 2, ... in the order of this seed, purpose and epoch. */
void random_order(OrderKey *keys, size_t count, uint32_t seed, RandomPurpose purpose,
                  int64_t epoch);

#endif
