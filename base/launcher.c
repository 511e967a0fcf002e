/* launcher.c: every launcher tells it by an environment variable of its own. */
#include "launcher.h"

#include <stdlib.h>

#include "base.h"

/* Of Open MPI's mpirun; of MPICH's and Intel's; of Slurm's srun. SLURM_NTASKS would not do: sbatch
 * sets it for its script too, which is one process. */
static const char *const VARIABLES[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

int launcher_processes(void)
{
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
        const char *count = getenv(VARIABLES[i]);
        if (count)
            return max_int(1, atoi(count));
    }
    return 1;
}
