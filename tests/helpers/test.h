/* test.h: what nearly every test needs. What a block takes is freed at its end:
 * FREED_BY(text_free) Text text = …; */
#ifndef PULGA_TEST_H
#define PULGA_TEST_H

#include "close.h"
#include "scratch.h"

/* Before a declaration: the function gets the variable's address when its block ends. */
#define FREED_BY(function) __attribute__((cleanup(function), unused))

/* The same for an array of stb_ds, and for a folder of scratch_new(); AUTOFREE is in base.h. */
#define FREED_ARRAY FREED_BY(free_array)
#define SCRATCH(folder) FREED_BY(remove_at) char *folder = scratch_new()
void free_array(void *pointer);
void remove_at(char **folder);

/* A string in a block of its own that lacks its last 0: a sanitizer sees a read beyond the end. The
 * caller frees it. */
char *without_end(const char *text);

/* Fails unless the integers at `got` are these. */
#define ASSERT_INTS(got, ...) \
    assert_ints(got, (const int[]){__VA_ARGS__}, COUNT_OF(((const int[]){__VA_ARGS__})))
void assert_ints(const int *got, const int *wanted, size_t count);

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
