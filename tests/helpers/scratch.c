/* scratch.c: a folder is made by mkdtemp() and removed by nftw(); a job runs in a child whose
 * standard error is a pipe. */
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parallel/threads.h"
#include "close.h"

/* ---- Folders ---- */

char *scratch_new(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder = format_text("%s/pulga-test-XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void scratch_remove(char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

char *scratch_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = format_text("%s/%s", folder, name);
    remove(path); /* some systems sync a file that is written over, which is slow */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

int scratch_count(const char *folder)
{
    DIR *list = opendir(folder);
    assert_non_null(list);
    int count = -2; /* . and .. */
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

/* ---- Processes ---- */

/* Ends a child in exit(), before the handlers run that it has from its parent: a function that dies
 * need not free anything, and a leak checker must not add to the one line. */
static void leave(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

static void be_child(int to_parent)
{
    dup2(to_parent, STDERR_FILENO);
    close(to_parent);
    alarm(20);           /* if it hangs, this kills it */
    thread_set_limit(1); /* GNU's OpenMP threads do not survive a fork */
    on_exit(leave, NULL);
}

bool apart_begin(Apart *apart)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL); /* or the child would print it again */
    *apart = (Apart){.child = fork(), .from_it = ends[0]};
    assert_true(apart->child >= 0);
    if (!apart->child) {
        close(ends[0]);
        be_child(ends[1]);
        return true;
    }
    close(ends[1]);
    return false;
}

ChildEnd apart_end(const Apart *apart)
{
    ChildEnd ending = {0};
    size_t kept = 0;
    int status;
    char some[4096], last = '\n';
    for (ssize_t got; (got = read(apart->from_it, some, sizeof some)) > 0; last = some[got - 1]) {
        for (ssize_t i = 0; i < got; i++) {
            ending.lines += some[i] == '\n';
            if (kept < sizeof ending.said - 1)
                ending.said[kept++] = some[i];
        }
    }
    close(apart->from_it);
    ending.lines += last != '\n' ? 2 : 0; /* so that it never counts as one line */
    assert_int_equal(waitpid(apart->child, &status, 0), apart->child);
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ending;
}

ChildEnd run_apart(Job *job, void *context)
{
    return APART(job(context));
}

bool has_died(const ChildEnd *ending)
{
    return !ending->signal && ending->status == 1 && ending->lines == 1 &&
           strlen(ending->said) > 0 && ending->said[strlen(ending->said) - 1] == '\n';
}

void assert_died(ChildEnd ending, const char *const *parts)
{
    if (!has_died(&ending))
        fail_msg("wanted it to die with one line and %s; signal %d, status %d, %d lines: %s",
                 parts[0], ending.signal, ending.status, ending.lines, ending.said);
    for (int i = 0; parts[i]; i++)
        if (!strstr(ending.said, parts[i]))
            fail_msg("wanted '%s' in: %s", parts[i], ending.said);
}
