/* memory.c: a model that is only used takes the memory it touches, however large a context its
 * configuration names. */
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

#include <unistd.h>

#include "model/generator.h"

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

TEST(a_context_that_is_not_filled_takes_no_memory)
{
    const char *run = getenv("RUN"); /* the Makefile's: valgrind, or an emulator */
    if (INSTRUMENTED || (run && *run))
        skip();
    const GptConfig config = {SIZES(1 << 18, 50, 1, 1, 1, 4, 5)};
    const double before = resident();
    FREED_BY(gpt_free) Gpt gpt = gpt_new_reader(&config, config.context);
    FREED_BY(kv_cache_free) KvCache cache = kv_cache_new(&config, 5);
    FREED_BY(generator_free) Generator generator = generator_new(&gpt, cache, 0, -1);
    generator_begin(&generator, (const int[]){1, 2, 3}, 3, 0);
    const double taken = resident() - before;
    assert_true(gpt_reader_bytes(&config, config.context) > 150e6);
    if (taken > 50e6)
        fail_msg("a model that has read 3 tokens takes %.0f MB", taken / 1e6);
}

/* Post-norm and pre-norm, since the layers keep different things. */
TEST(a_reader_computes_the_same_in_less_memory)
{
    enum { ROWS = 4, LAYERS = 12 };
    const Batch batch = {.rows = ROWS,
                         .sequences = 1,
                         .start = (const int[]){0, ROWS},
                         .tokens = (const int[]){3, 1, 4, 1}};
    GptConfig config = {SIZES(ROWS, LAYERS, 2, 3, 6, 8, 5)};
    for (config.norm = NORM_PRE; config.norm <= NORM_POST; config.norm++) {
        Gpt learner = gpt_new(&config, ROWS), reader = gpt_new_reader(&config, ROWS);
        gpt_init(&learner, 1);
        memcpy(reader.weight_block, learner.weight_block, learner.size * sizeof(Real));
        Real logits[2][5];
        gpt_next_logits(&learner, &batch, logits[0]);
        gpt_next_logits(&reader, &batch, logits[1]);
        assert_memory_equal(logits[0], logits[1], sizeof logits[0]);
        assert_true(logits[0][0] != logits[0][1]);
        assert_true(gpt_reader_bytes(&config, 1000) < gpt_bytes(&config, 1000) / 2);
        gpt_free(&learner);
        gpt_free(&reader);
    }
}
