/* team.h: the processes that train one model together, on one machine or on several. They are a
 * team of members, numbered from 0; member 0 leads: it alone reads, writes and prints. All members
 * make the same calls in the same order.
 *
 * A program that was built without MPI, or that no launcher (mpirun, srun) has started, is a team
 * of one: then nothing here takes time. */
#ifndef PULGA_TEAM_H
#define PULGA_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Joins the team; and leaves it, when all members have come so far. */
void team_start(void);
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

void team_progress(void); /* goes on with the messages that were begun, without waiting */
void team_wait(void);     /* until all of them have arrived */

double team_waited(void); /* seconds that this member has spent waiting for others */
double team_sent(void);   /* bytes that it has sent */

#endif
