/* threads.c: the only file that calls OpenMP's functions; without OpenMP there is one thread. */
#include "threads.h"

#include "base/base.h"
#include "base/system/system.h"

#ifdef _OPENMP
#include <omp.h>

/* Before it sleeps, a thread that waits for others looks 500 times whether they have come, for some
 * 10 us. By default it would spin for milliseconds: on a busy machine that takes the turn of the
 * thread that it waits for, which then stands in the queue after all other programs. clang's OpenMP
 * can only spin for whole milliseconds: there it sleeps at once. Both libraries read this from the
 * environment, GNU's before main: see GOMP in the Makefile. Values that are there stay: the user's,
 * and that of sample.c, which runs before this.
 *
 * A thread keeps the packed blocks of a matrix product on its stack, which is as large as that of
 * any other thread: process_start_threads() checks its size, and tries how many there can be. */
__attribute__((constructor(102))) static void prepare_threads(void)
{
    unsetenv("OMP_STACKSIZE");
    unsetenv("GOMP_STACKSIZE");
    setenv("GOMP_SPINCOUNT", "500", 0);
    setenv("KMP_BLOCKTIME", "0", 0);
}
#else
#define omp_get_max_threads() 1
#define omp_set_num_threads(threads) (void)(threads)
#define omp_get_num_threads() 1
#define omp_get_thread_num() 0
#endif

int thread_limit(void)
{
    return omp_get_max_threads();
}

void thread_set_limit(int threads)
{
    omp_set_num_threads(threads);
}

int threads_for_step(int64_t rows, size_t parameters)
{
    static const double WORK = 1 << 23; /* of a thread: with less, waiting takes what it gains */
    return 1 + (int)fmin(thread_limit() - 1, (double)rows * (double)parameters / WORK);
}

int thread_count(void)
{
    return omp_get_num_threads();
}

int thread_index(void)
{
    return omp_get_thread_num();
}

void thread_start(void)
{
    Signals before;
    signals_hold(&before, true); /* a new thread inherits those that wait */
    OMP(parallel)
    thread_index();
    signals_release(&before);
}

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
