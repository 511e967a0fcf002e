/* random.c: Philox on vectors of counters, and the distributions made of its words. random.h has
 * the rounds themselves; here 16 counters go through them side by side, with one vector for each
 * of their four words. */
#include "random.h"

#include <unistd.h>

#include "base/parallel/threads.h"
#include "elementary.h"

void random_many_words(uint32_t words[4][RANDOM_LANES], uint32_t seed, uint32_t purpose)
{
    OMP(simd)
    for (int lane = 0; lane < RANDOM_LANES; lane++) {
        uint32_t w[4] = {words[0][lane], words[1][lane], words[2][lane], words[3][lane]};
        for (int round = 0; round < RANDOM_ROUNDS; round++)
            random_round(&w[0], &w[1], &w[2], &w[3], seed, purpose, round);
        for (int i = 0; i < 4; i++)
            words[i][lane] = w[i];
    }
}

uint64_t random_bits(uint32_t seed, RandomPurpose purpose, Random4 counter)
{
    Random4 words = random_words(seed, purpose, counter);
    return (uint64_t)words.word[1] << 32 | words.word[0];
}

/* The upper 53 of 64 random bits, as many as a double holds, times 2^-53: in [0, 1). */
static double uniform_of(uint32_t low, uint32_t high)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

double random_uniform(uint32_t seed, RandomPurpose purpose, Random4 counter)
{
    Random4 words = random_words(seed, purpose, counter);
    return uniform_of(words.word[0], words.word[1]);
}

uint64_t random_seed(void)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed))
        die("the system gives no random numbers");
    return seed;
}

void random_normal(Real *out, size_t count, double deviation, uint32_t seed, uint32_t tensor)
{
    /* One counter gives two uniforms, and Box and Muller's formula two normals from them: a radius
     * sqrt(-2 ln(1 - u)), where 1 - u is never 0, and an angle. The number of a pair may exceed
     * 2^32: its high half is the third counter. */
    OMP(parallel for)
    for (size_t pair = 0; pair < (count + 1) / 2; pair++) {
        Random4 counter = {{(uint32_t)pair, tensor, (uint32_t)((uint64_t)pair >> 32), 0}};
        Random4 words = random_words(seed, RANDOM_START, counter);
        double radius =
            deviation * sqrt(-2 * elementary_log(1 - uniform_of(words.word[0], words.word[1])));
        double angle = 2 * 3.14159265358979323846 * uniform_of(words.word[2], words.word[3]);
        out[2 * pair] = (Real)(float)(radius * elementary_cos(angle));
        if (2 * pair + 1 < count)
            out[2 * pair + 1] = (Real)(float)(radius * elementary_sin(angle));
    }
}

/* Halves of few bits would need more rounds to be mixed well. */
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

/* All rounds, or back from the last to the first. */
static uint64_t turn(const Order *order, uint64_t number, bool back)
{
    uint64_t high = number >> order->low, low = number & (((uint64_t)1 << order->low) - 1);
    for (int i = 0; i < ROUNDS; i++) {
        const int round = back ? ROUNDS - 1 - i : i;
        if (round % 2)
            low ^= change(order, high, round, order->low);
        else
            high ^= change(order, low, round, order->high);
    }
    return high << order->low | low;
}

uint64_t order_at(const Order *order, uint64_t i)
{
    do
        i = turn(order, i, false);
    while (i >= order->count);
    return i;
}

uint64_t order_find(const Order *order, uint64_t place)
{
    do
        place = turn(order, place, true);
    while (place >= order->count);
    return place;
}
