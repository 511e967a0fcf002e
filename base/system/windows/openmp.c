/* openmp.c: the part of GNU's OpenMP that gcc calls for the other rooms. Its own library for
 * Windows makes and removes objects of the system in every parallel region, and waits by them; here
 * a thread that waits looks some times, then sleeps on the number that will change. The order of
 * what is computed is the same. */
#include "shared.h"

#include <omp.h>

/* ---- Waiting ---- */

/* How often before a thread sleeps, and the variable in which base/parallel/threads.c says so. */
static int looks = 500;
static const char LOOKS[] = "GOMP_SPINCOUNT";

static void wait_while(volatile LONG *number, LONG value)
{
    for (int i = 0; i < looks && *number == value; i++)
        YieldProcessor();
    while (*number == value)
        WaitOnAddress(number, &value, sizeof value, INFINITE);
    MemoryBarrier();
}

/* ---- Regions ---- */

typedef struct {
    int number; /* of the region's loops */
    int64_t from, end, step, size;
    bool by_turns;        /* chunk k is of thread k, modulo their number */
    volatile LONG chunks; /* that are given out */
    volatile LONG turn;   /* the chunk whose ordered part may run */
} Loop;

/* What a thread is in: a region, and there a loop. */
typedef struct {
    int number, threads, loops; /* its own, of the region, and those that it has begun */
    Loop *loop, alone;          /* in a region of one thread, the loop is its own */
    LONG chunk;                 /* counted from 0 */
} Own;
static _Thread_local Own own = {.threads = 1};

enum { MOST = 1 << 10, LOOPS = 64 };
static Loop loops[LOOPS]; /* of the region that has several threads */
static struct {
    int limit, started; /* threads */
    void (*task)(void *);
    void *data;
    volatile LONG region;  /* its number x MOST, and how many threads beside the first it has */
    volatile LONG working; /* of these */
    volatile LONG arrived, barrier; /* threads at the barrier, and its number */
} team;

static SRWLOCK critical = SRWLOCK_INIT, atomic = SRWLOCK_INIT, loop_begins = SRWLOCK_INIT;

static DWORD WINAPI work(void *number)
{
    const int self = (int)(intptr_t)number;
    LONG seen = 0;
    for (;;) {
        wait_while(&team.region, seen);
        seen = team.region;
        if (self > seen % MOST)
            continue;
        own = (Own){.number = self, .threads = (int)(seen % MOST) + 1};
        team.task(team.data);
        if (!InterlockedDecrement(&team.working))
            WakeByAddressAll((void *)&team.working);
    }
    return 0;
}

int omp_get_max_threads(void)
{
    SYSTEM_INFO machine;
    const char *wanted = getenv("OMP_NUM_THREADS");
    if (!team.limit) {
        GetSystemInfo(&machine);
        team.limit = wanted ? (int)strtol(wanted, NULL, 10) : (int)machine.dwNumberOfProcessors;
        team.limit = team.limit < 1 ? 1 : team.limit < MOST ? team.limit : MOST - 1;
    }
    return team.limit;
}

void omp_set_num_threads(int threads)
{
    team.limit = threads;
}

int omp_get_num_threads(void)
{
    return own.threads;
}

int omp_get_thread_num(void)
{
    return own.number;
}

/* Starts the threads that there are too few of, of which each knows its number. */
static void start(int threads)
{
    const char *count = getenv(LOOKS);
    if (count)
        looks = (int)strtol(count, NULL, 10);
    for (; team.started < threads; team.started++) {
        const HANDLE thread =
            CreateThread(NULL, 0, work, (void *)(intptr_t)(team.started + 1), 0, NULL);
        if (!thread)
            abort(); /* process_start_threads() has tried */
        CloseHandle(thread);
    }
}

void GOMP_parallel(void (*task)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    const Own before = own;
    const LONG others =
        before.threads > 1 ? 0 : (threads ? (LONG)threads : omp_get_max_threads()) - 1;
    if (others > team.started)
        start(others);
    own = (Own){.threads = others + 1};
    for (int i = 0; others && i < LOOPS; i++)
        loops[i].number = -1;
    if (others) {
        team.task = task;
        team.data = data;
        team.working = others;
        MemoryBarrier();
        team.region = (team.region / MOST + 1) % (1 << 20) * MOST + others;
        WakeByAddressAll((void *)&team.region);
    }
    task(data);
    for (LONG left; others && (left = team.working);)
        wait_while(&team.working, left);
    own = before;
}

void GOMP_barrier(void)
{
    const LONG number = team.barrier;
    if (own.threads == 1)
        return;
    if (InterlockedIncrement(&team.arrived) < own.threads) {
        wait_while(&team.barrier, number);
        return;
    }
    team.arrived = 0;
    InterlockedIncrement(&team.barrier);
    WakeByAddressAll((void *)&team.barrier);
}

/* ---- Loops ---- */

/* The bounds of the thread's next chunk; false if there is none. */
static bool take(long *from, long *end)
{
    Loop *l = own.loop;
    own.chunk = !l->by_turns    ? InterlockedIncrement(&l->chunks) - 1
                : own.chunk < 0 ? own.number
                                : own.chunk + own.threads;
    const int64_t width = l->step * l->size, first = l->from + own.chunk * width,
                  last = first + width;
    if (l->step > 0 ? first >= l->end : first <= l->end)
        return false;
    *from = (long)first;
    *end = (long)((l->step > 0 ? last < l->end : last > l->end) ? last : l->end);
    return true;
}

/* The first thread that comes to a loop makes it. */
static bool begin(bool by_turns, long from, long end, long step, long size, long *first, long *last)
{
    own.loop = own.threads > 1 ? &loops[own.loops % LOOPS] : &own.alone;
    own.chunk = -1;
    AcquireSRWLockExclusive(&loop_begins);
    if (own.threads == 1 || own.loop->number != own.loops)
        *own.loop = (Loop){own.loops, from, end, step, size, by_turns, 0, 0};
    ReleaseSRWLockExclusive(&loop_begins);
    own.loops++;
    return take(first, last);
}

bool GOMP_loop_dynamic_start(long from, long end, long step, long size, long *first, long *last)
{
    return begin(false, from, end, step, size, first, last);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long *, long *)
    __attribute__((alias("GOMP_loop_dynamic_start")));
bool GOMP_loop_ordered_dynamic_start(long, long, long, long, long *, long *)
    __attribute__((alias("GOMP_loop_dynamic_start")));

bool GOMP_loop_ordered_static_start(long from, long end, long step, long size, long *first,
                                    long *last)
{
    return begin(true, from, end, step, size, first, last);
}

bool GOMP_loop_dynamic_next(long *first, long *last)
{
    return take(first, last);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *, long *)
    __attribute__((alias("GOMP_loop_dynamic_next")));

void GOMP_ordered_start(void)
{
    for (LONG turn; (turn = own.loop->turn) != own.chunk;)
        wait_while(&own.loop->turn, turn);
}

void GOMP_ordered_end(void)
{
}

/* The chunk that ends may have had no ordered part. */
bool GOMP_loop_ordered_dynamic_next(long *first, long *last)
{
    GOMP_ordered_start();
    InterlockedIncrement(&own.loop->turn);
    WakeByAddressAll((void *)&own.loop->turn);
    return take(first, last);
}

bool GOMP_loop_ordered_static_next(long *, long *)
    __attribute__((alias("GOMP_loop_ordered_dynamic_next")));

void GOMP_loop_end_nowait(void)
{
}

/* ---- One at a time ---- */

void GOMP_critical_start(void)
{
    AcquireSRWLockExclusive(&critical);
}

void GOMP_critical_end(void)
{
    ReleaseSRWLockExclusive(&critical);
}

void GOMP_atomic_start(void)
{
    AcquireSRWLockExclusive(&atomic);
}

void GOMP_atomic_end(void)
{
    ReleaseSRWLockExclusive(&atomic);
}
