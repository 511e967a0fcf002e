/* pair_table.c: each pair keeps its number while the table grows. */
#include "tests/helpers/test.h"
#include "text/subwords/bpe.h"

TEST(pairs_keep_their_numbers)
{
    enum { MANY = 300 };
    FREED_BY(pair_table_free) PairTable table = pair_table_new();
    for (int left = 0; left < MANY; left++)
        for (int right = 0; right < MANY; right++)
            *pair_table_at(&table, left, right) += (int64_t)left << 40 | right;
    *pair_table_at(&table, INT32_MAX, INT32_MAX) = -1;
    assert_int_equal(table.used, MANY * MANY + 1);
    for (int left = 0; left < MANY; left++)
        for (int right = 0; right < MANY; right++)
            assert_int_equal(pair_table_get(&table, left, right), (int64_t)left << 40 | right);
    assert_int_equal(pair_table_get(&table, INT32_MAX, INT32_MAX), -1);
    assert_int_equal(pair_table_get(&table, MANY, 0), 0);
    assert_int_equal(pair_table_get(&table, 0, MANY), 0);
    assert_int_equal(table.used, MANY * MANY + 1); /* looking for a pair adds none */
}
