/* order.c: an order has every place once; other seeds, purposes and epochs have other orders; and
 * of few places, every order comes equally often. */

#include "base/numbers/random.h"
#include "tests/helpers/test.h"

static void check_bijection(uint64_t count, uint32_t seed)
{
    const Order order = order_new(count, seed, RANDOM_ORDER, seed);
    AUTOFREE char *seen = calloc(count + 1, 1);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place = order_at(&order, i);
        assert_true(place < count);
        assert_int_equal(seen[place]++, 0);
        assert_true(order_find(&order, place) == i);
    }
}

TEST(every_place_comes_once)
{
    for (uint32_t count = 1; count <= 300; count++)
        check_bijection(count, count);
    for (int bits = 9; bits <= 17; bits++)
        for (uint64_t near = 0; near < 3; near++)
            check_bijection(((uint64_t)1 << bits) - 1 + near, (uint32_t)bits);
    check_bijection(1000003, 5);
}

/* How many of the first places two orders have in common; of unrelated ones, about one. */
static int common(Order a, Order b)
{
    int count = 0;
    for (uint64_t i = 0; i < 1000; i++)
        count += order_at(&a, i) == order_at(&b, i);
    return count;
}

TEST(seeds_purposes_and_epochs_differ)
{
    const Order order = order_new(1000, 1, RANDOM_ORDER, 0);
    assert_int_equal(common(order, order), 1000);
    assert_in_range(common(order, order_new(1000, 2, RANDOM_ORDER, 0)), 0, 8);
    assert_in_range(common(order, order_new(1000, 1, RANDOM_SPLIT, 0)), 0, 8);
    assert_in_range(common(order, order_new(1000, 1, RANDOM_ORDER, 1)), 0, 8);
}

/* `count` places have `orders` orders. Their frequencies over many epochs are those of
 * equal chances if chi squared, whose mean is orders − 1, is within five deviations. */
static void check_orders(int count, int orders)
{
    enum { EACH = 100 };
    AUTOFREE int *seen = calloc(1 << 3 * count, sizeof *seen);
    for (int epoch = 0; epoch < EACH * orders; epoch++) {
        const Order order = order_new((uint64_t)count, 7, RANDOM_ORDER, epoch);
        int code = 0;
        for (int i = 0; i < count; i++)
            code = code << 3 | (int)order_at(&order, (uint64_t)i);
        seen[code]++;
    }
    double squares = 0;
    int different = 0;
    for (int code = 0; code < 1 << 3 * count; code++)
        if (seen[code]) {
            squares += (double)(seen[code] - EACH) * (seen[code] - EACH) / EACH;
            different++;
        }
    assert_int_equal(different, orders);
    assert_close_one("chi squared", squares, orders - 1, 5 * sqrt(2.0 * (orders - 1)));
}

TEST(orders_of_few_places_are_equally_frequent)
{
    check_orders(2, 2);
    check_orders(3, 6);
    check_orders(4, 24);
    check_orders(5, 120);
    check_orders(6, 720);
}

/* Beyond 32 bits nothing can be listed: some places are computed, and are all different. */
TEST(counts_of_64_bits)
{
    const Order order = order_new((uint64_t)3 << 40, 1, RANDOM_ORDER, 0);
    double mean = 0;
    uint64_t before = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        const uint64_t place = order_at(&order, i << 28);
        assert_true(place < order.count && place != before);
        mean += (double)place / 10000;
        before = place;
    }
    assert_close_one("mean", mean / (double)order.count, 0.5, 5 / sqrt(12 * 10000.0));
    const Order largest = order_new((uint64_t)1 << 63, 1, RANDOM_ORDER, 0);
    assert_true(order_at(&largest, largest.count - 1) < largest.count);
}
