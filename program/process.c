/* process.c: see process.h. */
#include "process.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "container.h"
#include "base/base.h"
#include "base/threads.h"
#include "formats/json.h"

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

/* The least of what the container and ulimit -m allow. */
static void limit_memory(void)
{
    struct rlimit resident;
    const bool limited = !getrlimit(RLIMIT_RSS, &resident) && resident.rlim_cur != RLIM_INFINITY;
    memory_limit_set(fmin(container_memory(), limited ? (double)resident.rlim_cur : INFINITY));
}

void process_prepare(void)
{
    json_prepare();
    check_limits();
    limit_memory();
}
