/* team.c: without MPI a team has one member. With it, the Makefile takes team_mpi.c instead. */
#include "team.h"

#include <unistd.h>

#include "base/base.h"
#include "base/parallel/threads.h"

void team_start(void)
{
    int number;
    const int processes = launcher_processes(&number);
    if (number) /* only the first one says it; mpirun ends the others, srun may not */
        sleep(2);
    if (number)
        exit(1);
    if (processes > 1)
        die("%d processes were started to train together, but this program was built without MPI; "
            "build it with: make MPI=1",
            processes);
}

void team_end(void)
{
}

int team_size(void)
{
    return 1;
}

int team_member(void)
{
    return 0;
}

void team_agree(uint64_t checksum, const char *what)
{
    (void)checksum, (void)what;
}

void team_share(void *bytes, size_t size)
{
    (void)bytes, (void)size;
}

void team_collect(void *all, size_t each)
{
    (void)all, (void)each;
}

void team_send(int to, const void *bytes, size_t size)
{
    (void)to, (void)bytes, (void)size;
}

void team_receive(int from, void *bytes, size_t size)
{
    (void)from, (void)bytes, (void)size;
}

void team_wait(void)
{
}

void team_await_leader(void)
{
}

void team_follow(void)
{
}

void team_stop_by(const volatile sig_atomic_t *signal)
{
    (void)signal;
}
