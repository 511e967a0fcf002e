/* memory.c: a model that is only used takes the memory it touches, however large a context its
 * configuration names. */
#include "tests/helpers/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/generate/generator.h"

/* An instrument may touch what the program does not. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED true
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED false
#endif

/* The bytes of this process that are in memory. */
static double resident(void)
{
    long all, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &pages), 2);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void a_context_that_is_not_filled_takes_no_memory(void **state)
{
    (void)state;
    const char *run = getenv("RUN"); /* the Makefile's: valgrind, or an emulator */
    if (INSTRUMENTED || (run && *run))
        skip();
    const GptConfig config = {.context = 1 << 18,
                              .layers = 50,
                              .heads = 1,
                              .head_size = 1,
                              .width = 1,
                              .hidden = 4,
                              .vocabulary = 5};
    const double before = resident();
    Gpt gpt = gpt_new(&config, config.context);
    KvCache cache = kv_cache_new(&config, 5);
    Generator generator = generator_new(&gpt, cache, 0, -1);
    generator_begin(&generator, (const int[]){1, 2, 3}, 3, 0);
    const double taken = resident() - before;
    assert_true(gpt_bytes(&config, config.context) > 500e6);
    if (taken > 50e6)
        fail_msg("a model that has read 3 tokens takes %.0f MB", taken / 1e6);
    generator_free(&generator);
    kv_cache_free(&cache);
    gpt_free(&gpt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_that_is_not_filled_takes_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
