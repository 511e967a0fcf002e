/* slices.c: the cut of a model's numbers into slices, and what is summed over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "model/optimizer.h"
#include "tests/helpers/close.h"

/* Some tensors are smaller than a slice, some larger; fixed positions and absent biases are not
 * trained. */
static const GptConfig CONFIG = {.context = 40,
                                 .layers = 2,
                                 .heads = 2,
                                 .head_size = 33,
                                 .width = 100,
                                 .hidden = 301,
                                 .vocabulary = 777,
                                 .no_qkv_bias = true};

/* The slices have each number that is trained once, in order, and no other. */
static void slices_have_every_trained_number_once(void **state)
{
    (void)state;
    int count;
    size_t size;
    Tensor *tensors = gpt_tensors(&CONFIG, &count, &size);
    Slices slices = slices_new(tensors, count);
    int s = 0;
    for (int i = 0; i < count; i++) {
        size_t covered = 0;
        for (; s < slices.count && slices.list[s].tensor == i; s++) {
            assert_int_equal(slices.list[s].from, tensors[i].offset + covered);
            assert_in_range(slices.list[s].count, 1, 1 << 14);
            covered += slices.list[s].count;
        }
        assert_int_equal(covered, tensors[i].trained ? tensor_size(&tensors[i]) : 0);
    }
    assert_int_equal(s, slices.count);
    slices_free(&slices);
    free(tensors);
}

static void the_norm_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const int most = thread_limit();
    Gpt gpt = gpt_new(&CONFIG, 1);
    Optimizer optimizer = optimizer_new(&gpt, OPTIMIZER_MUON, false);
    fill(gpt.gradient_block, gpt.size, 3);
    double norm[5];
    for (int threads = 1; threads < 5; threads++) {
        thread_set_limit(threads);
        norm[threads] = optimizer_gradient_norm(&optimizer, &gpt);
        assert_memory_equal(&norm[threads], &norm[1], sizeof *norm);
    }
    thread_set_limit(most);
    optimizer_free(&optimizer);
    gpt_free(&gpt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_every_trained_number_once),
        cmocka_unit_test(the_norm_has_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
