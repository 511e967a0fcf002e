/* threads.c: a step gets as many threads as its work is worth. */
#include "base/parallel/threads.h"
#include "tests/helpers/test.h"

TEST(threads_grow_with_the_work)
{
    const int most = thread_limit();
    thread_set_limit(5);
    const int limit = thread_limit();                  /* 1 without OpenMP */
    assert_int_equal(threads_for_step(57, 101056), 1); /* the nine sentences */
    assert_int_equal(threads_for_step(768, 134528) > 1, limit > 1);
    assert_int_equal(threads_for_step(1 << 30, SIZE_MAX), limit);
    thread_set_limit(most);
}
