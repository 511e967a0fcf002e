/* launcher.c: every launcher tells it by an environment variable of its own. */
#include "launcher.h"

#include <stddef.h>
#include <stdlib.h>

/* Open MPI's mpirun, MPICH's and Intel's, and Slurm's srun. SLURM_NTASKS would not do: sbatch
 * also sets it for its script, which is one process. */
static const struct {
    const char *count, *number;
} VARIABLES[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

int launcher_processes(int *number)
{
    *number = 0;
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
        const char *count = getenv(VARIABLES[i].count), *own = getenv(VARIABLES[i].number);
        const int processes = count && own ? (int)strtol(count, NULL, 10) : 0;
        if (processes > 0) {
            *number = (int)strtol(own, NULL, 10);
            return processes;
        }
    }
    return 0;
}
