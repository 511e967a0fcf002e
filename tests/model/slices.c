/* slices.c: the cut of a model's numbers into slices, and what is summed over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel/threads.h"
#include "model/optimizer/optimizer.h"
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

static const GptConfig LARGE = {.context = 128,
                                .layers = 8,
                                .heads = 4,
                                .head_size = 64,
                                .width = 256,
                                .hidden = 1024,
                                .vocabulary = 4000,
                                .untied = true,
                                .learned_positions = true};

/* The slices have each number that is trained once, in order, and no other. */
static void slices_have_every_trained_number_once(void **state)
{
    (void)state;
    int count;
    size_t size;
    Tensor *tensors = gpt_tensors(&CONFIG, &count, &size);
    Slices slices = slices_new(tensors, count, 3, false);
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

/* The runs have all slices, each that of its stage and owner; the owners' shares of a stage differ
 * by about one slice or, if matrices are whole, balance over the stages. */
static void check_owners(int owners, bool whole)
{
    int count;
    size_t size;
    Tensor *tensors = gpt_tensors(&LARGE, &count, &size);
    Slices slices = slices_new(tensors, count, owners, whole);
    size_t share[8] = {0}, all = 0;
    int run = 0;
    for (int i = 0; i < slices.count; i++) {
        const Slice *slice = &slices.list[i];
        run += slice->from >= slices.runs[run].from + slices.runs[run].count;
        assert_true(slice->from >= slices.runs[run].from);
        assert_true(slice->from + slice->count <= slices.runs[run].from + slices.runs[run].count);
        assert_int_equal(slice->owner, slices.runs[run].owner);
        assert_int_equal(slice->stage, slices.runs[run].stage);
        assert_int_equal(slice->stage, tensors[slice->tensor].stage);
        if (whole && tensors[slice->tensor].parts && i &&
            slices.list[i - 1].tensor == slice->tensor)
            assert_int_equal(slice->owner, slices.list[i - 1].owner);
        share[slice->owner] += slice->count;
        all += slice->count;
    }
    assert_int_equal(run, slices.run_count - 1);
    assert_true(whole || slices.run_count <= owners * (LARGE.layers + 2) + LARGE.layers);
    for (int m = 0; m < owners; m++)
        assert_in_range(share[m], all / (size_t)owners * (whole ? 5 : 8) / 10,
                        all / (size_t)owners * (whole ? 16 : 12) / 10);
    slices_free(&slices);
    free(tensors);
}

static void owners_have_about_the_same_shares(void **state)
{
    (void)state;
    for (int owners = 1; owners <= 8; owners++) {
        check_owners(owners, false);
        check_owners(owners, true);
    }
}

/* The parts that members compute, put together, are the step that one takes alone. */
static void check_members(OptimizerKind kind, int members)
{
    Gpt alone = gpt_new(&CONFIG, 1), team = gpt_new(&CONFIG, 1);
    gpt_init(&alone, 1);
    gpt_init(&team, 1);
    Optimizer one = optimizer_new(&alone, kind, false), all = optimizer_new(&team, kind, false);
    for (int t = 1; t <= 2; t++) {
        fill(alone.gradient_block, alone.size, t);
        fill(team.gradient_block, team.size, t);
        optimizer_square(&one, &alone);
        for (int m = 0; m < members; m++) {
            optimizer_share(&all, &team, members, m);
            optimizer_square(&all, &team);
        }
        const double norm = optimizer_gradient_norm(&one), other = optimizer_gradient_norm(&all);
        assert_memory_equal(&norm, &other, sizeof norm);
        optimizer_step(&one, &alone, 0.5, 0.1, 0.1, t);
        for (int m = 0; m < members; m++) {
            optimizer_share(&all, &team, members, m);
            optimizer_step(&all, &team, 0.5, 0.1, 0.1, t);
        }
    }
    assert_memory_equal(team.weight_block, alone.weight_block, alone.size * sizeof(Real));
    assert_memory_equal(all.m, one.m, alone.size * sizeof(Real));
    assert_memory_equal(all.v, one.v, alone.size * sizeof(Real));
    optimizer_free(&one);
    optimizer_free(&all);
    gpt_free(&alone);
    gpt_free(&team);
}

static void members_update_what_one_would(void **state)
{
    (void)state;
    for (int members = 1; members <= 8; members++) {
        check_members(OPTIMIZER_ADAMW, members);
        check_members(OPTIMIZER_MUON, members);
    }
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
        optimizer_square(&optimizer, &gpt);
        norm[threads] = optimizer_gradient_norm(&optimizer);
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
        cmocka_unit_test(owners_have_about_the_same_shares),
        cmocka_unit_test(members_update_what_one_would),
        cmocka_unit_test(the_norm_has_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
