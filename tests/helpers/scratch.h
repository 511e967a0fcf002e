/* scratch.h: a folder for one test, and a process of its own for a function that may end it. */
#ifndef PULGA_SCRATCH_H
#define PULGA_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

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

/* What becomes of a statement in a process of its own: APART(text_read(path, false)). */
#define APART(...)                 \
    __extension__({                \
        Apart apart;               \
        if (apart_begin(&apart)) { \
            __VA_ARGS__;           \
            _exit(0);              \
        }                          \
        apart_end(&apart);         \
    })
typedef struct {
    int child, from_it;
} Apart;
bool apart_begin(Apart *apart); /* true in the child */
ChildEnd apart_end(const Apart *apart);

/* The same for a function. */
typedef void Job(void *context);
ChildEnd run_apart(Job *job, void *context);

/* Whether it ended as die() ends a program: no signal, exit status 1, and one line. */
bool has_died(const ChildEnd *ending);

/* Fail unless a statement, or a job, dies in one line that holds all of these strings. */
#define ASSERT_DIES(statement, ...) \
    assert_died(APART(statement), (const char *const[]){__VA_ARGS__, NULL})
#define assert_dies(job, context, ...) ASSERT_DIES(job(context), __VA_ARGS__)
void assert_died(ChildEnd ending, const char *const *parts);

#endif
