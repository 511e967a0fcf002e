/* test.h: a test is TEST(name) and a block. main() runs all that a file has, in their order. */
#ifndef PULGA_TEST_H
#define PULGA_TEST_H

#include "close.h"

#define TEST(name)                                            \
    static void test_##name(void **state);                    \
    __attribute__((constructor)) static void add_##name(void) \
    {                                                         \
        test_add(__LINE__, #name, test_##name);               \
    }                                                         \
    static void test_##name(__attribute__((unused)) void **state)

void test_add(int line, const char *name, CMUnitTestFunction function);

#endif
