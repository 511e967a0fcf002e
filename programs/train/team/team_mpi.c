/* team_mpi.c: a team by MPI, of which only point-to-point messages are used. MPI would wait with
 * all of a processor, for ever, and would not say for whom; so every message is begun, then asked
 * for until it has arrived: in a loop at first, later with short sleeps.
 *
 * The leader's bytes go down a tree: member m has them from the member whose number lacks the
 * lowest bit of m. In large blocks they go in pieces, so that a member passes the first ones on
 * while it receives the next. */
#include "team.h"

#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/parallel/threads.h"

enum { PIECE = 1 << 24 }; /* bytes of one message of MPI, whose sizes are ints */

/* The kinds of messages: those with content, and two without, which say that their sender is about
 * to die, or also waits for someone. */
enum { TAG_CONTENT, TAG_DYING, TAG_WAITING };

/* In seconds: how long a member may keep others waiting, unless PULGA_TEAM_SECONDS says it; how
 * long a wait keeps the processor, before it sleeps now and then; the time between two looks
 * whether the others live; how long after a signal one may be missing; and by how much each member
 * waits longer than the one before it, so that only one says that a third hangs. */
static const double USUAL_LIMIT = 60, BUSY = 0.005, LOOK = 0.01, SOON = 0.4, LONGER = 2;
static const struct timespec NAP = {.tv_nsec = 100000};

/* A message that has not arrived, and the member at its other end. */
typedef struct {
    MPI_Request request;
    int member;
} Message;

/* Who a member is. */
typedef struct {
    char host[64];
    pid_t process;
    ino_t numbering; /* the processes that are numbered together: one machine, or one container */
    bool near;       /* whether its process is seen from this one: on the same machine */
} Member;

static struct {
    int size, member;
    Member *members;
    Message *received, *sent;            /* stb_ds arrays */
    double limit;                        /* seconds that a member may keep others waiting */
    double released;                     /* clock: when this one last stopped waiting */
    double looked;                       /* clock: when it last looked whether the others live */
    const volatile sig_atomic_t *signal; /* see team_stop_by() */
    bool told;                           /* that this member waits */
    bool joined;
    char *late; /* what is said if the team does not come together */
} team = {.size = 1};

int team_size(void)
{
    return team.size;
}

int team_member(void)
{
    return team.member;
}

/* ---- Members that die ---- */

/* Tells the others something about this member; and whether another one has told that. */
static void tell(int tag)
{
    MPI_Request request;
    for (int m = 0; m < team.size; m++)
        if (m != team.member) {
            MPI_Isend(NULL, 0, MPI_BYTE, m, tag, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        }
}

static bool has_told(int m, int tag)
{
    int told;
    MPI_Iprobe(m, tag, MPI_COMM_WORLD, &told, MPI_STATUS_IGNORE);
    return told;
}

/* Called when the program ends. If it has not left the team, all end with it, and mpirun's status
 * is its own: 0 after --help, which only the leader prints. */
static void abandon(int status, void *unused)
{
    (void)unused;
    if (!team.joined)
        return;
    tell(TAG_DYING);
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* Until this process is ended from outside. */
static _Noreturn void wait_for_the_end(void)
{
    for (;;)
        pause();
}

void team_follow(void)
{
    if (!team_leads())
        wait_for_the_end();
}

static bool has_ended(const Member *member)
{
    return member->near && kill(member->process, 0) && errno == ESRCH;
}

/* member 2 (process 4711 on host7) */
static char *name_of(int m)
{
    return format_text(_("member %d (process %d on %s)"), m, (int)team.members[m].process,
                       team.members[m].host);
}

/* Says that a member was killed, if this is the first member on its machine that still lives, and
 * if the other has not said itself why it dies. */
static _Noreturn void report_killed(int killed)
{
    bool spoke = has_told(killed, TAG_DYING);
    for (int m = 0; m < team.member; m++)
        spoke |= team.members[m].near && !has_ended(&team.members[m]);
    if (!spoke)
        die("%s was killed; the run ends here, and --resume goes on from its last save",
            name_of(killed));
    wait_for_the_end();
}

/* mpirun ends all if one is killed, but takes about a second for it. */
static void look_after_the_others(double now)
{
    if (now - team.looked < LOOK)
        return;
    team.looked = now;
    for (int m = 0; m < team.size; m++)
        if (has_ended(&team.members[m]))
            report_killed(m);
}

/* ---- Messages ---- */

void team_send(int to, const void *bytes, size_t size)
{
    MPI_Request request;
    for (size_t at = 0; at < size; at += PIECE) {
        const int piece = (int)(size - at < PIECE ? size - at : PIECE);
        MPI_Isend((const char *)bytes + at, piece, MPI_BYTE, to, TAG_CONTENT, MPI_COMM_WORLD,
                  &request);
        arrput(team.sent, ((Message){request, to}));
    }
}

void team_receive(int from, void *bytes, size_t size)
{
    MPI_Request request;
    for (size_t at = 0; at < size; at += PIECE) {
        const int piece = (int)(size - at < PIECE ? size - at : PIECE);
        MPI_Irecv((char *)bytes + at, piece, MPI_BYTE, from, TAG_CONTENT, MPI_COMM_WORLD, &request);
        arrput(team.received, ((Message){request, from}));
    }
}

/* Leaves out the messages that have arrived; returns whether there were any. */
static bool go_on(Message **messages)
{
    const ptrdiff_t before = arrlen(*messages);
    for (ptrdiff_t i = before - 1; i >= 0; i--) {
        int arrived;
        MPI_Test(&(*messages)[i].request, &arrived, MPI_STATUS_IGNORE);
        if (arrived)
            arrdel(*messages, i);
    }
    return arrlen(*messages) < before;
}

/* The member whose message is missing; of several, one that does not itself wait. */
static int missing(const Message *messages)
{
    for (ptrdiff_t i = 0; i < arrlen(messages); i++)
        if (!has_told(messages[i].member, TAG_WAITING))
            return messages[i].member;
    return messages[0].member;
}

/* Says who is missing. If another member has said why it dies, only waits to be ended: on a busy
 * machine mpirun needs seconds for that. */
static _Noreturn void report_missing(int m, double seconds)
{
    for (int other = 0; other < team.size; other++)
        if (has_told(other, TAG_DYING))
            wait_for_the_end();
    die("%s has not answered for %.0f seconds; the run ends here, and --resume goes on from its "
        "last save",
        name_of(m), seconds);
}

/* A stop was asked for, and one is missing: mpirun may have asked because it has ended. */
static void warn_of(int m)
{
    warn("a signal came, and %s is still missing; if all end now, --resume goes on from the last "
         "save",
         name_of(m));
    team.signal = NULL;
}

/* What is to be done now and then while nothing arrives. */
static void look_around(const Message *messages, double now, double waited, double seconds)
{
    look_after_the_others(now);
    if (waited > SOON && team.signal && *team.signal && !has_told(missing(messages), TAG_DYING))
        warn_of(missing(messages));
    if (waited > team.limit / 2 && isfinite(seconds) && !team.told) {
        tell(TAG_WAITING);
        team.told = true;
    }
    if (waited > seconds)
        report_missing(missing(messages), waited);
    if (waited > BUSY)
        nanosleep(&NAP, NULL);
    else
        sched_yield();
}

/* After this process itself was stopped for so long that the others may have given up: then it is
 * about to be ended, and Open MPI would complain in many lines that they are gone. */
static void hesitate(void)
{
    const double end = clock_seconds() + 2;
    while (clock_seconds() < end)
        nanosleep(&NAP, NULL);
}

/* Until all have arrived; dies if none comes for that long. The time in which this process
 * was stopped does not count. */
static void finish(Message **messages, double seconds)
{
    double now = clock_seconds(), moved = now;
    team.told = false;
    while (arrlen(*messages)) {
        const double before = now;
        now = clock_seconds();
        if (now - before > team.limit)
            hesitate();
        if (go_on(messages) || now - before > 1)
            moved = now = clock_seconds();
        else
            look_around(*messages, now, now - moved, seconds);
    }
    team.released = now;
}

/* How long this member waits. One that works for long may expect the same of the others. */
static double patience(void)
{
    return team.limit + 10 * (clock_seconds() - team.released) + LONGER * team.member;
}

void team_wait(void)
{
    const double seconds = patience();
    finish(&team.received, seconds);
    finish(&team.sent, seconds);
}

/* Passes the leader's bytes on to the members whose number is this one's with a bit more below the
 * lowest one that it has. */
static void pass_on(const void *bytes, size_t size)
{
    for (int bit = 1; bit < team.size && !(team.member & bit); bit *= 2)
        if (team.member + bit < team.size)
            team_send(team.member + bit, bytes, size);
}

static void share(void *bytes, size_t size, double seconds)
{
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t piece = size - at < PIECE ? size - at : PIECE;
        if (team.member)
            team_receive(team.member & (team.member - 1), (char *)bytes + at, piece);
        finish(&team.received, seconds);
        pass_on((char *)bytes + at, piece);
    }
    finish(&team.sent, seconds);
}

void team_share(void *bytes, size_t size)
{
    share(bytes, size, patience());
}

void team_await_leader(void)
{
    char here = 0;
    share(&here, 1, INFINITY);
}

void team_collect(void *all, size_t each)
{
    for (int m = 0; m < team.size; m++)
        if (m != team.member) {
            team_receive(m, (char *)all + (size_t)m * each, each);
            team_send(m, (char *)all + (size_t)team.member * each, each);
        }
    team_wait();
}

void team_agree(uint64_t checksum, const char *what)
{
    uint64_t *all = memory_new((size_t)team.size, sizeof *all, "a team's checksums");
    all[team.member] = checksum;
    team_collect(all, sizeof *all);
    for (int m = 1; m < team.size; m++)
        if (all[m] != all[0]) {
            team_follow();
            die("%s has another %s than the leader (process %d on %s); all members of a team need "
                "the same",
                name_of(m), translated(what), (int)team.members[0].process, team.members[0].host);
        }
    free(all);
}

void team_stop_by(const volatile sig_atomic_t *signal)
{
    team.signal = signal;
}

/* ---- Joining and leaving ---- */

/* How long a member may keep others waiting. Only the leader complains of a wrong number. */
static double limit(int member)
{
    const char *text = getenv("PULGA_TEAM_SECONDS");
    char *end = NULL;
    const double seconds = text ? strtod(text, &end) : USUAL_LIMIT;
    const bool wrong = text && (end == text || *end || !(seconds > 0));
    if (wrong && !member)
        die("PULGA_TEAM_SECONDS=%s is not a number of seconds", text);
    return wrong ? USUAL_LIMIT : seconds;
}

static void end_late(int unused)
{
    (void)unused;
    (void)!write(STDERR_FILENO, team.late, strlen(team.late));
    _exit(1);
}

/* MPI itself would wait for ever for a process that hangs while the team begins; and nobody knows
 * yet which one it is. Each member waits longer than the one before it: one line is enough. */
static void expect_all(int member, int processes)
{
    const double seconds = limit(member);
    team.late = format_text(_("%s: the %d processes have not found each other in %g seconds: one "
                              "of them hangs, or their network; start them again\n"),
                            program_invocation_short_name, processes, seconds);
    signal(SIGALRM, end_late);
    alarm((unsigned)ceil(fmin(seconds, 1e6) + LONGER * member));
}

/* Tells all members who each of them is. */
static void introduce(void)
{
    team.members = memory_new((size_t)team.size, sizeof *team.members, "a team");
    Member *own = &team.members[team.member];
    struct stat numbering = {0};
    stat("/proc/self/ns/pid", &numbering);
    gethostname(own->host, sizeof own->host - 1);
    own->process = getpid();
    own->numbering = numbering.st_ino;
    team_collect(team.members, sizeof *team.members);
    for (int m = 0; m < team.size; m++) {
        Member *other = &team.members[m];
        other->near = m != team.member && !strcmp(other->host, own->host) &&
                      other->numbering == own->numbering;
    }
}

/* Members that do not lead print only their own errors. */
static void be_silent(void)
{
    if (!freopen("/dev/null", "w", stdout))
        die("cannot open /dev/null: %s", reason(errno));
    program_invocation_short_name =
        format_text(_("%s, member %d on %s"), program_invocation_short_name, team.member,
                    team.members[team.member].host);
}

void team_start(void)
{
    int number, threads;
    const int processes = launcher_processes(&number);
    if (processes < 2)
        return;
    expect_all(number, processes);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_size(MPI_COMM_WORLD, &team.size);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.member);
    if (team.size != processes)
        die("%d processes were started, but %d of them found each other; start them with Open "
            "MPI's "
            "mpirun, or with srun --mpi=pmix",
            processes, team.size);
    team.joined = true;
    on_exit(abandon, NULL);
    team.limit = USUAL_LIMIT;
    team.released = clock_seconds();
    introduce();
    alarm(0);
    free(team.late);
    const Bytes program = file_read("/proc/self/exe", false);
    team_agree(checksum_of(program.bytes, program.size), "program");
    free(program.bytes);
    if (team_leads())
        team.limit = limit(0);
    else
        be_silent();
    team_share(&team.limit, sizeof team.limit);
}

void team_end(void)
{
    if (!team.joined)
        return;
    team_await_leader();
    team.joined = false;
    MPI_Finalize();
    arrfree(team.received);
    arrfree(team.sent);
    free(team.members);
}
