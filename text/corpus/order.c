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

uint64_t order_at(const Order *order, uint64_t i)
{
    do
        i = turn(order, i);
    while (i >= order->count);
    return i;
}

/* What half of each number adds to the other one. */
static void change_many(const Order *order, const uint64_t *half, int round, int bits,
                        uint64_t *changed)
{
    uint32_t words[4][RANDOM_LANES];
    for (int i = 0; i < RANDOM_LANES; i++) {
        words[0][i] = (uint32_t)half[i];
        words[1][i] = (uint32_t)round;
        words[2][i] = 0;
        words[3][i] = order->epoch;
    }
    random_many_words(words, order->seed, order->purpose);
    for (int i = 0; i < RANDOM_LANES; i++)
        changed[i] ^= ((uint64_t)words[1][i] << 32 | words[0][i]) & (((uint64_t)1 << bits) - 1);
}

static void turn_many(const Order *order, uint64_t numbers[RANDOM_LANES])
{
    uint64_t high[RANDOM_LANES], low[RANDOM_LANES];
    for (int i = 0; i < RANDOM_LANES; i++) {
        high[i] = numbers[i] >> order->low;
        low[i] = numbers[i] & (((uint64_t)1 << order->low) - 1);
    }
    for (int round = 0; round < ROUNDS; round += 2) {
        change_many(order, low, round, order->high, high);
        change_many(order, high, round + 1, order->low, low);
    }
    for (int i = 0; i < RANDOM_LANES; i++)
        numbers[i] = high[i] << order->low | low[i];
}

void order_many(const Order *order, uint64_t first, uint64_t places[ORDER_MANY])
{
    uint64_t numbers[ORDER_MANY];
    int which[ORDER_MANY], left = ORDER_MANY; /* those that are not a place yet */
    for (int i = 0; i < ORDER_MANY; i++) {
        const uint64_t place = first + (uint64_t)i;
        numbers[i] = place < order->count ? place : order->count - 1;
        which[i] = i;
    }
    while (left) {
        for (int i = 0; i < left; i += RANDOM_LANES)
            turn_many(order, numbers + i);
        const int turned = left;
        left = 0;
        for (int i = 0; i < turned; i++) {
            places[which[i]] = numbers[i];
            which[left] = which[i];
            numbers[left] = numbers[i];
            left += numbers[i] >= order->count;
        }
    }
}
