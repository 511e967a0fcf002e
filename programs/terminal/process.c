/* process.c: finds limits that would otherwise end a program without a message, or with a
 * library's: OpenMP prints two lines of its own if it cannot start a thread, so as many threads as
 * it will need are started here first, and ended again. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "base/parallel/threads.h"
#include "base/system/system.h"
#include "formats/json.h"

/* ---- Standard files ---- */

/* If standard output is closed (./train x >&-), the next file that is opened gets its number 1, and
 * what is printed would be written into that file. So /dev/null takes each free number up to 2; it
 * is opened for reading, so that writing fails as it would have if the number had stayed free. */
static void open_standard_files(void)
{
    int file;
    while ((file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && file <= STDERR_FILENO)
        continue;
    close(file);
}

/* Called when the program ends. If output could not be written, to a full disk for example, the
 * status becomes 1. But if the reader of a pipe has left (./train x | head), poll reports an error
 * of the pipe (macOS: its end), and the status stays as it is. */
static void check_output(int status, void *unused)
{
    (void)unused;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    errno = 0; /* it stays 0 if the write that failed was an earlier one */
    const bool written = !fflush(stdout) && !ferror(stdout);
    const int error = errno;
    if (written || status || (poll(&output, 1, 0) > 0 && output.revents & (POLLERR | POLLHUP)))
        return;
    if (error)
        warn("cannot write to standard output: %s", reason(error));
    else
        warn("cannot write to standard output");
    _exit(1);
}

/* ---- Memory ---- */

/* The number in a file; infinity if there is no such file, or no number in it: "max" means that
 * there is no limit. */
static double number_in(const char *path)
{
    double number = 0;
    char line[64], *end = line;
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file))
        number = strtod(line, &end);
    if (file)
        fclose(file);
    return end == line ? INFINITY : number;
}

/* The least of what the container (by version 2 or 1 of control groups) and ulimit -m allow. Inside
 * a container these files hold its own limits. */
static double allowed_memory(void)
{
    struct rlimit resident;
    const bool limited = !getrlimit(RLIMIT_RSS, &resident) && resident.rlim_cur != RLIM_INFINITY;
    return fmin(limited ? (double)resident.rlim_cur : INFINITY,
                fmin(number_in("/sys/fs/cgroup/memory.max"),
                     number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")));
}

void process_prepare(void)
{
    open_standard_files();
    signal(SIGXFSZ, SIG_IGN); /* at the limit of a file's size, writing fails */
    on_exit(check_output, NULL);
    json_prepare();
    memory_limit_set(allowed_memory());
}

/* ---- Processes ---- */

bool process_apart(bool task(void *), void *argument)
{
    int signal;
    const bool done = system_apart(task, argument, &signal);
    if (signal < 0)
        die("cannot start a process: %s", reason(errno));
    if (signal)
        warn("a process was ended by signal %d", signal);
    return done;
}

bool process_has_others(void)
{
    return true;
}

/* ---- Threads ---- */

/* In bytes: each thread keeps the packed blocks of a matrix product on its stack, for which two
 * megabytes are ample; and the most threads that --threads allows. */
enum { NEEDED_STACK = 2 << 20, MOST_THREADS = 1024 };

/* What each thread does: it waits until the gate is unlocked, so that all of them run at once. */
static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Starts `count` threads beside this one, ends them, and dies if one could not be started. */
static void try_threads(int count)
{
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0, error = 0;
    pthread_mutex_lock(&gate);
    while (started < count && !error) {
        error = pthread_create(&threads[started], NULL, wait_at, &gate);
        started += !error;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (error)
        die("cannot start %d threads: %s; choose fewer with --threads or OMP_NUM_THREADS",
            count + 1, reason(error));
}

void process_start_threads(int threads)
{
    const int count = min_int(threads ? threads : thread_limit(), MOST_THREADS);
    struct rlimit stack; /* of all threads, as large as ulimit -s says */
    if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur < NEEDED_STACK)
        die("the stack is limited to %.0f kB; %d kB are needed: ulimit -s 8192",
            (double)stack.rlim_cur / 1024, NEEDED_STACK / 1024);
    try_threads(count - 1);
    thread_set_limit(count);
    thread_start();
}
