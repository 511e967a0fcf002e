/* team.h: the processes that train one model together, on one machine or on several. They are a
 * team of members, numbered from 0; member 0 leads: it alone reads, writes and prints. All members
 * make the same calls in the same order.
 *
 * A program that no launcher (mpirun, srun) has started is a team of one: then nothing here takes
 * time. So is one that was built without MPI; it refuses to be started as one of several, which
 * would all write the same files. */
#ifndef PULGA_TEAM_H
#define PULGA_TEAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Joins the team. From here on the standard output of members that do not lead goes nowhere, and
 * their messages name them. If a member dies, or is killed, all end. */
void team_start(void);

/* Leaves the team, when all members have come so far. */
void team_end(void);

int team_size(void);
int team_member(void);

static inline bool team_leads(void)
{
    return team_member() == 0;
}

/* Dies, naming what differs and which member has it, unless the checksum is the same for all. */
void team_agree(uint64_t checksum, const char *what);

/* Everybody receives the leader's bytes. */
void team_share(void *bytes, size_t size);

/* Everybody receives the part of every member: that of member m is `each` bytes at m · each. */
void team_collect(void *all, size_t each);

/* Begin a message, whose bytes may not be touched before team_wait() returns. Messages from one
 * member to another arrive in the order in which they were begun. */
void team_send(int to, const void *bytes, size_t size);
void team_receive(int from, void *bytes, size_t size);

/* Until all of them have arrived. */
void team_wait(void);

/* Members wait for each other for a minute (PULGA_TEAM_SECONDS=N), and ten times as long as they
 * have worked themselves; then the one that waits dies and names the other. This waits for the
 * leader as long as it takes: to read a text, to write to a slow disk. */
void team_await_leader(void);

/* The leader's answer to a question, after waiting for it like that. */
static inline bool team_answer(bool answer)
{
    team_await_leader();
    team_share(&answer, sizeof answer);
    return answer;
}

/* For an error that all members find: the leader returns, to print it and to die; the others wait
 * until that ends them. */
void team_follow(void);

/* The number of a signal that asks the leader to stop, 0 until one comes. mpirun sends it when a
 * member on another machine has ended, and kills all a second later: so from then on, a wait that
 * is not short says for whom it waits. */
void team_stop_by(const volatile sig_atomic_t *signal);

#endif
