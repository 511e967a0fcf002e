/* threads.c: a step gets as many threads as its work is worth; and what a launcher of processes
 * says of them. */
#include "base/parallel/threads.h"
#include "tests/helpers/test.h"

TEST(threads_grow_with_the_work)
{
    const int most = thread_limit();
    thread_set_limit(5);
    const int limit = thread_limit();                  /* 1 without OpenMP */
    assert_int_equal(threads_for_step(57, 101056), 1); /* the nine sentences */
    assert_int_equal(threads_for_step(768, 134528) > 1, limit > 1);
    assert_int_equal(threads_for_step(1 << 30, SIZE_MAX), limit);
    thread_set_limit(most);
}

TEST(a_launcher_is_known_by_its_variables)
{
    int number = 7;
    /* The script of sbatch is one process, and so is a program of its own on this machine. */
    setenv("SLURM_NTASKS", "4", 1);
    setenv("SLURM_PROCID", "0", 1);
    assert_int_equal(launcher_processes(&number), 0);
    assert_int_equal(number, 0);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    setenv("SLURM_PROCID", "2", 1);
    assert_int_equal(launcher_processes(&number), 4);
    assert_int_equal(number, 2);
    setenv("PMI_SIZE", "3", 1); /* mpirun within srun */
    setenv("PMI_RANK", "1", 1);
    assert_int_equal(launcher_processes(&number), 3);
    assert_int_equal(number, 1);
}
