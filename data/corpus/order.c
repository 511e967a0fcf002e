/* order.c: each place gets a random key, and the keys are sorted. */
#include "order.h"

#include <stdlib.h>

/* Two keys may be equal: then the place decides, since qsort may leave equals in any order. */
static int by_key(const void *a, const void *b)
{
    const OrderKey *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->place > y->place) - (x->place < y->place);
}

void random_order(OrderKey *keys, size_t count, uint32_t seed, RandomPurpose purpose, int64_t epoch)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = (OrderKey){
            random_bits(seed, purpose, (Random4){{(uint32_t)i, 0, 0, (uint32_t)epoch}}), i};
    qsort(keys, count, sizeof *keys, by_key);
}
