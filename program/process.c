/* process.c: see process.h. */
#include "process.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../data/container.h"
#include "../model/base.h"

/* What would end in a crash otherwise: stacks that do not hold the blocks of a matrix product, and
 * more threads than OpenMP finds room for on one. */
static void check_limits(void)
{
    enum { LEAST_STACK = 1 << 20, MOST_THREADS = 1024 };
    struct rlimit stack;
    if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur < LEAST_STACK)
        die("the stack is limited to %ju kB, and %d are needed: ulimit -s %d",
            (uintmax_t)stack.rlim_cur / 1024, LEAST_STACK / 1024, 8 * LEAST_STACK / 1024);
    if (thread_limit() > MOST_THREADS)
        thread_set_limit(MOST_THREADS);
}

/* A container's memory becomes the limit that memory_check knows. */
static void limit_memory(void)
{
    struct rlimit resident;
    const double allowed = container_memory();
    if (getrlimit(RLIMIT_RSS, &resident) || !(allowed < (double)resident.rlim_cur))
        return;
    resident.rlim_cur = (rlim_t)allowed;
    setrlimit(RLIMIT_RSS, &resident);
}

/* Changes the environment to what OpenMP should have found; returns whether it was another. */
static bool change_wishes(void)
{
    static const char *const sizes[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    bool changed = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        changed |= getenv(sizes[i]) && !unsetenv(sizes[i]);
#if defined _OPENMP && !defined __clang__
    if (!getenv("GOMP_SPINCOUNT") && !getenv("OMP_WAIT_POLICY"))
        changed |= !setenv("GOMP_SPINCOUNT", "1000", 1);
#endif
    return changed;
}

/* Where it fails all goes on as it was. */
static void begin_again(char **argv)
{
    char self[4096]; /* by its own name, for those who look for it among the processes */
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = 0;
        execv(self, argv);
    }
}

void process_prepare(char **argv)
{
    check_limits();
    limit_memory();
    if (change_wishes())
        begin_again(argv);
}
