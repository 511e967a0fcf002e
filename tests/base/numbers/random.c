/* random.c: Philox against its published vectors, and the distributions made from it. */

#include "base/numbers/random.h"
#include "tests/helpers/test.h"

/* From the known-answer tests that its authors publish (Random123, philox4x32, 10 rounds). */
TEST(philox_gives_the_published_words)
{
    static const struct {
        Random4 counter;
        uint32_t key[2];
        Random4 words;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         {0xffffffff, 0xffffffff},
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const Random4 words = random_words(known[i].key[0], known[i].key[1], known[i].counter);
        for (int k = 0; k < 4; k++)
            assert_int_equal(words.word[k], known[i].words.word[k]);
    }
}

TEST(many_counters_at_once_give_the_same_words)
{
    uint32_t many[4][RANDOM_LANES];
    Random4 counters[RANDOM_LANES];
    for (uint32_t lane = 0; lane < RANDOM_LANES; lane++) {
        counters[lane] = (Random4){{lane, 7 * lane, 0xffffffff - lane, lane * lane * 65537}};
        for (int k = 0; k < 4; k++)
            many[k][lane] = counters[lane].word[k];
    }
    random_many_words(many, 0x12345678, 0xfedcba98);
    for (int lane = 0; lane < RANDOM_LANES; lane++) {
        const Random4 words = random_words(0x12345678, 0xfedcba98, counters[lane]);
        for (int k = 0; k < 4; k++)
            assert_int_equal(many[k][lane], words.word[k]);
    }
}

TEST(uniform_numbers_have_the_right_moments)
{
    enum { COUNT = 100000 };
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const double u = random_uniform(3, RANDOM_SAMPLE, (Random4){{i, 0, 0, 0}});
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
    }
    /* Within four standard deviations of the mean of u and of u². */
    assert_close_one("mean", sum / COUNT, 0.5, 4 * 0.2887 / sqrt(COUNT));
    assert_close_one("mean square", squares / COUNT, 1.0 / 3, 4 * 0.2981 / sqrt(COUNT));
}

TEST(normal_numbers_have_the_right_moments)
{
    enum { COUNT = 100001 };
    AUTOFREE Real *x = memory_new(COUNT, sizeof *x, "a test");
    AUTOFREE Real *other = memory_new(COUNT, sizeof *other, "a test");
    random_normal(x, COUNT, 0.02, 5, 3);
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < COUNT; i++) {
        const double z = (double)x[i] / 0.02;
        assert_true((double)x[i] == (double)(float)x[i]);
        sum += z;
        squares += z * z;
        fourth += z * z * z * z;
    }
    assert_close_one("mean", sum / COUNT, 0, 4 / sqrt(COUNT));
    assert_close_one("variance", squares / COUNT, 1, 4 * sqrt(2.0 / COUNT));
    assert_close_one("fourth moment", fourth / COUNT, 3, 4 * sqrt(96.0 / COUNT));

    /* A number depends only on its place, not on how many are drawn. */
    random_normal(other, 7, 0.02, 5, 3);
    assert_memory_equal(other, x, 7 * sizeof *x);
    random_normal(other, 7, 0.02, 5, 4);
    assert_memory_not_equal(other, x, 7 * sizeof *x);
    random_normal(other, 7, 0.02, 6, 3);
    assert_memory_not_equal(other, x, 7 * sizeof *x);
}
