/* order.c: halves of few bits would need more rounds to be mixed well. */
#include "order.h"

enum { ROUNDS = 10, LEAST_BITS = 8 };

Order order_new(uint64_t count, uint32_t seed, RandomPurpose purpose, int64_t epoch)
{
    int bits = LEAST_BITS;
    while (count > (uint64_t)1 << bits)
        bits++;
    return (Order){.count = count,
                   .high = bits / 2,
                   .low = bits - bits / 2,
                   .seed = seed,
                   .epoch = (uint32_t)epoch,
                   .purpose = purpose};
}

/* What one half, of at most 32 bits, adds to the other one, which has `bits`. */
static uint64_t change(const Order *order, uint64_t half, int round, int bits)
{
    const Random4 counter = {{(uint32_t)half, (uint32_t)round, 0, order->epoch}};
    return random_bits(order->seed, order->purpose, counter) & (((uint64_t)1 << bits) - 1);
}

static uint64_t turn(const Order *order, uint64_t number)
{
    uint64_t high = number >> order->low, low = number & (((uint64_t)1 << order->low) - 1);
    for (int round = 0; round < ROUNDS; round += 2) {
        high ^= change(order, low, round, order->high);
        low ^= change(order, high, round + 1, order->low);
    }
    return high << order->low | low;
}

static uint64_t turn_back(const Order *order, uint64_t number)
{
    uint64_t high = number >> order->low, low = number & (((uint64_t)1 << order->low) - 1);
    for (int round = ROUNDS - 2; round >= 0; round -= 2) {
        low ^= change(order, high, round + 1, order->low);
        high ^= change(order, low, round, order->high);
    }
    return high << order->low | low;
}

uint64_t order_at(const Order *order, uint64_t i)
{
    do
        i = turn(order, i);
    while (i >= order->count);
    return i;
}

uint64_t order_find(const Order *order, uint64_t place)
{
    do
        place = turn_back(order, place);
    while (place >= order->count);
    return place;
}
