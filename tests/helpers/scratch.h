/* scratch.h: a folder for one test, and a process of its own for a function that may end it. */
#ifndef PULGA_SCRATCH_H
#define PULGA_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes an empty folder; removes it with everything in it, and frees its name. */
char *scratch_new(void);
void scratch_remove(char *folder);

/* Writes these bytes into a file and returns its path, "folder/name", which the caller frees. */
char *scratch_write(const char *folder, const char *name, const void *bytes, size_t size);

/* How many files and folders a folder holds. */
int scratch_count(const char *folder);

/* How a job ended in a process of its own. */
typedef struct {
    int signal;      /* that killed it, or 0                            */
    int status;      /* of its exit; 0 if the job returned               */
    int lines;       /* on standard error; one without an end counts as two */
    char said[8192]; /* the beginning of them                           */
} ChildEnd;

typedef void Job(void *context);
ChildEnd run_apart(Job *job, void *context);

/* Whether it ended as die() ends a program: no signal, exit status 1, and one line. */
bool has_died(const ChildEnd *ending);

/* Fails unless a job dies in one line that holds all of these strings. */
#define assert_dies(job, context, ...) \
    assert_dies_saying(job, context, (const char *const[]){__VA_ARGS__, NULL})
void assert_dies_saying(Job *job, void *context, const char *const *parts);

#endif
