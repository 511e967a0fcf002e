/* memory.c: memory is zeroed, aligned and never refused silently; a stream into memory holds what
 * was written. */
#include <stb/stb_ds.h>

#include "base/base.h"
#include "tests/helpers/test.h"

TEST(new_memory_is_zeroed_even_if_it_was_used_before)
{
    static const size_t sizes[] = {1, 63, 64, 1000, (1 << 20) - 1, 1 << 20, (3 << 20) + 5};
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            unsigned char *memory = memory_new(sizes[i], 1, "a test");
            assert_int_equal((uintptr_t)memory % 64, 0);
            for (size_t b = 0; b < sizes[i]; b++)
                if (memory[b])
                    fail_msg("byte %zu of %zu is not 0", b, sizes[i]);
            memset(memory, 0xFF, sizes[i]);
            free(memory);
        }
}

/* A sanitizer's allocator reports in its own words that there is not so much. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

TEST(memory_that_is_not_there_ends_in_one_line)
{
    if (SANITIZED)
        skip();
    int *array = NULL;
    ASSERT_DIES(memory_take(SIZE_MAX / 2), "memory");
    ASSERT_DIES(memory_new(SIZE_MAX / 2, 8, "the test"), "memory");
    ASSERT_DIES(memory_new(SIZE_MAX / 64, 1, "the test"), "memory");
    ASSERT_DIES(memory_check(1e18, "the test"), "memory");
    ASSERT_DIES(arena_take(&(Arena){0}, SIZE_MAX / 2, 3), "memory");
    ASSERT_DIES(arrsetcap(array, SIZE_MAX / 16), "memory");
}

TEST(the_limit_of_a_container_is_heeded)
{
    ASSERT_DIES(memory_limit_set(3e6); free(memory_new(2000000, 1, "the first"));
                memory_new(4000000, 1, "the second"), "the second would take 4 MB", "allows 3 MB");
}

TEST(a_stream_holds_all_that_was_written)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "");
    assert_int_equal(size, 0);
    free(text);

    enum { LINES = 20000 };
    out = memory_stream(&text, &size);
    for (int i = 0; i < LINES; i++)
        fprintf(out, "%05d\n", i);
    fwrite("a\0b", 1, 3, out);
    fclose(out);
    assert_int_equal(size, 6 * LINES + 3);
    for (int i = 0; i < LINES; i += 999)
        assert_int_equal(atoi(text + 6 * i), i);
    assert_memory_equal(text + 6 * LINES, "a\0b", 4);
    free(text);
}
