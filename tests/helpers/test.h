/* test.h: what nearly every test needs. A test is TEST(name) and a block; main() runs all that a file
 * has, in their order. What a block takes is freed at its end: FREED_BY(text_free) Text text = …; */
#ifndef PULGA_TEST_H
#define PULGA_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "scratch.h"

#define TEST(name)                                            \
    static void test_##name(void **state);                    \
    __attribute__((constructor)) static void add_##name(void) \
    {                                                         \
        test_add(__LINE__, #name, test_##name);               \
    }                                                         \
    static void test_##name(__attribute__((unused)) void **state)

void test_add(int line, const char *name, CMUnitTestFunction function);

/* Before a declaration: the function gets the variable's address when its block ends. */
#define FREED_BY(function) __attribute__((cleanup(function)))

/* The same for a pointer that free() takes, or a struct that begins with one, as Bytes does; for an
 * array of stb_ds; and for a folder of scratch_new(). */
#define FREED FREED_BY(free_at)
#define FREED_ARRAY FREED_BY(free_array)
#define SCRATCH(folder) FREED_BY(remove_at) char *folder = scratch_new()
void free_at(void *pointer);
void free_array(void *pointer);
void remove_at(char **folder);

/* Fails unless the integers at `got` are these. */
#define ASSERT_INTS(got, ...) \
    assert_ints(got, (const int[]){__VA_ARGS__}, COUNT_OF(((const int[]){__VA_ARGS__})))
void assert_ints(const int *got, const int *wanted, size_t count);

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
