/* test.c: frees what a block has taken. */
#include "test.h"

#include <stb/stb_ds.h>

#include "scratch.h"

char *without_end(const char *text)
{
    const size_t size = strlen(text);
    return memcpy(memory_take(size), text, size);
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
