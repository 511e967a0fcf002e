/* Memory is zeroed and starts on a cache line, also where something else was before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/helpers/close.h"

static void test_zeroed(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,      63, 64, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 4097,
                                   5000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int again = 0; again < 3; again++) { /* where something else was before */
            unsigned char *memory = memory_new(sizes[i], 1, "a test");
            assert_int_equal((uintptr_t)memory % 64, 0);
            for (size_t n = 0; n < sizes[i]; n++)
                if (memory[n])
                    fail_msg("byte %zu of %zu is %d", n, sizes[i], memory[n]);
            memset(memory, 0xA5, sizes[i]);
            free(memory);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zeroed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
