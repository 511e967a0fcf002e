/* threads.c: trials find out whether one thread or all are faster, and keep to it. */
#include "base/parallel/threads.h"
#include "tests/helpers/close.h"

/* Takes so many steps, each as long as this number of threads needs; returns how many had one. */
static int take_steps(ThreadTrial *trial, int steps, double one, double all)
{
    int alone = 0;
    for (int i = 0; i < steps; i++) {
        alone += trial->threads == 1;
        thread_trial_end(trial, trial->threads == 1 ? one : all);
    }
    return alone;
}

static void the_faster_way_is_kept(void **state)
{
    (void)state;
    ThreadTrial trial = thread_trial_new(4, false);
    take_steps(&trial, 4, 1, 3); /* the trial: two steps each way */
    assert_int_equal(take_steps(&trial, 8, 1, 3), 8);
    trial = thread_trial_new(4, false);
    take_steps(&trial, 4, 3, 1);
    assert_int_equal(take_steps(&trial, 8, 3, 1), 0);
}

static void trials_become_rare_if_nothing_changes(void **state)
{
    (void)state;
    ThreadTrial trial = thread_trial_new(4, false);
    take_steps(&trial, 2000, 3, 1);
    assert_true(take_steps(&trial, 10000, 3, 1) <= 40); /* of 10,000 steps, two a trial */
}

static void a_step_that_has_become_slow_is_tried_again_at_once(void **state)
{
    (void)state;
    ThreadTrial trial = thread_trial_new(4, false);
    take_steps(&trial, 2000, 3, 1);
    take_steps(&trial, 3 + 4, 3, 100); /* another program needs the processors */
    assert_int_equal(take_steps(&trial, 8, 3, 100), 8);
}

static void a_given_number_of_threads_is_not_tried(void **state)
{
    (void)state;
    ThreadTrial trial = thread_trial_new(4, true);
    assert_int_equal(take_steps(&trial, 1000, 1, 100), 0);
    assert_int_equal(trial.threads, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faster_way_is_kept),
        cmocka_unit_test(trials_become_rare_if_nothing_changes),
        cmocka_unit_test(a_step_that_has_become_slow_is_tried_again_at_once),
        cmocka_unit_test(a_given_number_of_threads_is_not_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
