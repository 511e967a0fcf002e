/* memory.c: a model that is only used takes the memory it touches, however large a context its
 * configuration names. */
#include "model/generator.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/memory.h"
#include "tests/helpers/test.h"

TEST(a_context_that_is_not_filled_takes_no_memory)
{
    if (memory_unknown())
        skip();
    const GptConfig config = {SIZES(1 << 18, 50, 1, 1, 1, 4, 5)};
    const double before = memory_resident();
    FREED_BY(gpt_free) Gpt gpt = gpt_new_reader(&config, config.context);
    FREED_BY(kv_cache_free) KvCache cache = kv_cache_new(&config, 5);
    FREED_BY(generator_free) Generator generator = generator_new(&gpt, cache, 0, -1);
    generator_begin(&generator, (const int[]){1, 2, 3}, 3, 0);
    const double taken = memory_resident() - before;
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
