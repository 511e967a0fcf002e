/* test.c: what runs before main() adds the tests by their lines. cmocka skips lines without one. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "scratch.h"

static struct CMUnitTest tests[1000];

void test_add(int line, const char *name, CMUnitTestFunction function)
{
    if (line >= (int)COUNT_OF(tests))
        abort();
    tests[line] = (struct CMUnitTest){.name = name, .test_func = function};
}

/* Programs that have a main() of their own do not get this one. */
__attribute__((weak)) int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

void free_at(void *pointer)
{
    void *block;
    memcpy(&block, pointer, sizeof block); /* of any type */
    free(block);
}

void free_array(void *pointer)
{
    char *array;
    memcpy(&array, pointer, sizeof array);
    arrfree(array);
}

void remove_at(char **folder)
{
    scratch_remove(*folder);
}

void assert_ints(const int *got, const int *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (got[i] != wanted[i])
            fail_msg("number %zu is %d, wanted %d", i, got[i], wanted[i]);
}
