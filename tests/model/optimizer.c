/* optimizer.c: the norm of the gradients. */
#include "base/parallel/threads.h"
#include "model/optimizer.h"
#include "tests/helpers/cases.h"
#include "tests/helpers/test.h"

/* Some tensors are smaller than what is added up at once, some larger; fixed positions and absent
 * biases are not trained. */
static const GptConfig CONFIG = {SIZES(40, 2, 2, 33, 100, 301, 777), .no_qkv_bias = true};

TEST(the_norm_has_the_same_bits_for_any_number_of_threads)
{
    const int most = thread_limit();
    FREED_BY(gpt_free) Gpt gpt = gpt_new(&CONFIG, 1);
    FREED_BY(optimizer_free) Optimizer optimizer = optimizer_new(&gpt, OPTIMIZER_MUON, false);
    fill(gpt.gradient_block, gpt.size, 3);
    double norm[5];
    for (int threads = 1; threads < 5; threads++) {
        thread_set_limit(threads);
        norm[threads] = optimizer_gradient_norm(&optimizer, &gpt);
        assert_memory_equal(&norm[threads], &norm[1], sizeof *norm);
    }
    thread_set_limit(most);
}
