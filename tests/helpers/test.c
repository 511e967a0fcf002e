/* test.c: what runs before main() adds the tests by their lines. cmocka skips lines without one. */
#include "test.h"

#include <stdlib.h>

static struct CMUnitTest tests[1000];

void test_add(int line, const char *name, CMUnitTestFunction function)
{
    if (line >= (int)(sizeof tests / sizeof *tests))
        abort();
    tests[line] = (struct CMUnitTest){.name = name, .test_func = function};
}

/* Programs that have a main() of their own do not get this one. */
__attribute__((weak)) int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
