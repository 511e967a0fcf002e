/* scratch.h: a folder of a test's own, and what a function does to the process that it runs in. */
#ifndef PULGA_SCRATCH_H
#define PULGA_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* A new empty folder; and its end, with all that is in it. The name is freed too. */
char *scratch_new(void);
void scratch_remove(char *folder);

/* "folder/name", which the caller frees, where these bytes now are. */
char *scratch_write(const char *folder, const char *name, const void *bytes, size_t size);

/* How many things a folder holds. */
int scratch_count(const char *folder);

/* How a job ended in a process of its own. */
typedef struct {
    int signal;      /* that killed it, or 0                            */
    int status;      /* of its exit; 0 where the job returned           */
    int lines;       /* on standard error; one without an end counts double */
    char said[8192]; /* the beginning of them                           */
} Ending;

typedef void Job(void *context);
Ending run_apart(Job *job, void *context);

/* Whether it ended as die() ends: no signal, exit status 1, and one line. */
bool has_died(const Ending *ending);

/* Fails unless a job dies in one line that holds all of these strings. */
#define assert_dies(job, context, ...) \
    assert_dies_saying(job, context, (const char *const[]){__VA_ARGS__, NULL})
void assert_dies_saying(Job *job, void *context, const char *const *parts);

#endif
