/* optimizer.c: the norm of the gradients, and moments that fade. */
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

/* In steps without a gradient they would stay where numbers are slow. */
TEST(moments_without_gradients_become_zero)
{
    Real w[2] = {1, 1}, m[2] = {1e-3F, -1e-3F}, v[2] = {1e-6F, 1e-6F}, g[2] = {0};
    Real mean[2] = {1e-3F, -1e-3F}, room[16];
    for (int t = 1; t <= 5000; t++) {
        adam_update(w, m, v, g, 2, 1, 0.1, 0, 1e-9, adam_bias(t));
        muon_update(matrix(w, 1, 2), mean, g, room, 1, 0.1, 0);
    }
    for (int i = 0; i < 2; i++)
        assert_true(m[i] == 0 && v[i] == 0 && mean[i] == 0);
}
