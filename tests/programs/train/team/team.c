/* team.c: a program that was built without MPI knows when it was started as one of several. */
#include "base/parallel/threads.h"
#include "programs/train/team/team.h"
#include "tests/helpers/close.h"

TEST(launchers_tell_how_many_they_started)
{
    int number;
    assert_int_equal(launcher_processes(&number), 0);
    assert_int_equal(number, 0);
    setenv("SLURM_STEP_NUM_TASKS", "3", true);
    setenv("SLURM_PROCID", "2", true);
    assert_int_equal(launcher_processes(&number), 3);
    assert_int_equal(number, 2);
    setenv("OMPI_COMM_WORLD_SIZE", "4", true); /* mpirun within a job of Slurm */
    setenv("OMPI_COMM_WORLD_RANK", "1", true);
    assert_int_equal(launcher_processes(&number), 4);
    assert_int_equal(number, 1);
    setenv("OMPI_COMM_WORLD_SIZE", "", true);
    assert_int_equal(launcher_processes(&number), 3);
    assert_int_equal(number, 2);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("SLURM_STEP_NUM_TASKS");
    unsetenv("SLURM_PROCID");
}
