/* faults.c: runs a command and makes one of its system calls that change files fail, or kills the
 * command there.
 *
 *     faults REPORT kill N COMMAND...     kills it before the N-th such call
 *     faults REPORT ENOSPC N COMMAND...   lets that call fail, with this error or another
 *     faults REPORT ENOSPC N+ COMMAND...  that call and all after it
 *     faults REPORT count 0 COMMAND...    only counts
 *
 * REPORT becomes a list of these calls, one per line, up to the end or the kill. The status is the
 * command's, 128 plus the signal's number if a signal ended it, or 77 if the kernel does not allow
 * this. A seccomp filter hands every call to this program as it enters the kernel, so the tested
 * program needs no hook, and no call of a library is missed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_ALLOWED = 77 };

static const struct {
    int number;
    const char *name;
} CALLS[] = {
    {SYS_write, "write"},      {SYS_pwrite64, "write"},  {SYS_writev, "write"},
    {SYS_fsync, "fsync"},      {SYS_fdatasync, "fsync"}, {SYS_ftruncate, "truncate"},
    {SYS_flock, "flock"},      {SYS_openat, "open"},     {SYS_renameat, "rename"},
    {SYS_renameat2, "rename"}, {SYS_unlinkat, "unlink"}, {SYS_mkdirat, "mkdir"},
    {SYS_linkat, "link"},
#ifdef SYS_rename /* newer machines have only the ones above */
    {SYS_rename, "rename"},    {SYS_unlink, "unlink"},   {SYS_rmdir, "rmdir"},
    {SYS_mkdir, "mkdir"},      {SYS_link, "link"},
#endif
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

/* ---- The child ---- */

static int listen_to_calls(void)
{
    struct sock_filter filter[CALL_COUNT + 3] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (int i = 0; i < CALL_COUNT; i++)
        filter[1 + i] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)CALLS[i].number,
                                         (unsigned char)(CALL_COUNT - i), 0);
    filter[CALL_COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[CALL_COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    const struct sock_fprog program = {CALL_COUNT + 3, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* A message of one byte that carries a descriptor. */
typedef union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
} Parcel;

static struct msghdr message_with(Parcel *parcel, struct iovec *byte)
{
    return (struct msghdr){
        .msg_iov = byte, .msg_iovlen = 1, .msg_control = parcel, .msg_controllen = sizeof *parcel};
}

static _Noreturn void be_child(int parent, char **command)
{
    const int listener = listen_to_calls();
    if (listener < 0)
        _exit(NOT_ALLOWED);
    char nothing = 0;
    struct iovec byte = {&nothing, 1};
    Parcel parcel;
    memset(&parcel, 0, sizeof parcel);
    struct msghdr message = message_with(&parcel, &byte);
    parcel.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof listener), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &listener, sizeof listener);
    if (sendmsg(parent, &message, 0) != 1)
        _exit(NOT_ALLOWED);
    execvp(*command, command);
    _exit(127);
}

static int listener_of(int child)
{
    char nothing;
    struct iovec byte = {&nothing, 1};
    Parcel parcel;
    struct msghdr message = message_with(&parcel, &byte);
    int listener = -1;
    if (recvmsg(child, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof listener);
    return listener;
}

/* ---- The parent ---- */

/* The name of a call that changes a file, or asks to; else NULL. */
static const char *name_of(const struct seccomp_data *call)
{
    const char *name = NULL;
    for (int i = 0; i < CALL_COUNT; i++)
        if (CALLS[i].number == call->nr)
            name = CALLS[i].name;
    if (call->nr == SYS_openat && !(call->args[2] & (O_WRONLY | O_RDWR | O_CREAT | O_DIRECTORY)))
        return NULL;
    if ((call->nr == SYS_write || call->nr == SYS_writev) && call->args[0] <= STDERR_FILENO)
        return NULL;
    return name;
}

typedef struct {
    FILE *report;
    bool kill, on;
    int error;
    long at, count;
} Plan;

static void answer(Plan *plan, int listener, pid_t child)
{
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
        return; /* the command has ended */
    struct seccomp_notif_resp reply = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    const char *name = name_of(&call.data);
    if (name) {
        fprintf(plan->report, "%s\n", name);
        plan->count++;
        if (plan->at && (plan->count == plan->at || (plan->on && plan->count > plan->at))) {
            if (plan->kill)
                kill(child, SIGKILL);
            else
                reply = (struct seccomp_notif_resp){.id = call.id, .error = -plan->error};
        }
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static int error_of(const char *name)
{
    for (int error = 1; error < 134; error++)
        if (strerrorname_np(error) && !strcmp(strerrorname_np(error), name))
            return error;
    return 0;
}

int main(int argc, char **argv)
{
    Plan plan = {0};
    if (argc < 5 || !(plan.report = fopen(argv[1], "we")))
        return fprintf(stderr, "usage: faults REPORT kill|count|ERROR N[+] COMMAND...\n"), 64;
    char *end;
    plan.kill = !strcmp(argv[2], "kill");
    plan.error = error_of(argv[2]);
    plan.at = strtol(argv[3], &end, 10);
    plan.on = *end == '+';

    int ends[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return NOT_ALLOWED;
    const pid_t child = fork();
    if (!child)
        be_child(ends[1], argv + 4);
    close(ends[1]);
    const int listener = listener_of(ends[0]);
    struct pollfd one = {.fd = listener, .events = POLLIN};
    while (listener >= 0 && poll(&one, 1, -1) > 0 && one.revents & POLLIN)
        answer(&plan, listener, child);
    if (waitpid(child, &status, 0) != child)
        return NOT_ALLOWED;
    fclose(plan.report);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
