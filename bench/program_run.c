/* program_run.c: the program writes into a pipe. Every hundredth of a second its memory is looked
 * at, since the kernel keeps no record of the most anonymous memory. */
#include "program_run.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

static double anonymous_memory(pid_t process)
{
    char line[256];
    double kilobytes = 0;
    char *path = format_text("/proc/%d/status", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    free(path);
    return 1024 * kilobytes;
}

static pid_t start(const char *command, int *output)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends))
        die("cannot make a pipe to %s", command);
    const pid_t child = fork();
    if (child < 0)
        die("cannot start %s", command);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    *output = ends[0];
    return child;
}

/* Whether the next line is the row of a step: "    15  0.889229  0.785989 ...". Reads what is there
 * of the output and adds it to the line, which it empties at each line end. */
static bool read_row(int output, char line[8], int *length, int step, bool *open)
{
    char wanted[16], bytes[4096];
    bool found = false;
    snprintf(wanted, sizeof wanted, "%6d  ", step);
    const ssize_t got = read(output, bytes, sizeof bytes);
    *open = got > 0;
    for (ssize_t i = 0; i < got; i++) {
        if (*length < 8)
            line[*length] = bytes[i];
        *length = bytes[i] == '\n' ? 0 : *length + 1;
        found = found || (*length == 8 && !memcmp(line, wanted, 8));
    }
    return found;
}

Measured measure_program(const char *command, int step)
{
    Measured found = {0};
    char line[8];
    int output, length = 0, status;
    const double begun = clock_seconds();
    const pid_t child = start(command, &output);
    for (bool open = true; open;) {
        struct pollfd waiting = {.fd = output, .events = POLLIN};
        const bool ready = poll(&waiting, 1, 10) > 0;
        if (ready && read_row(output, line, &length, step, &open) && !found.median)
            found.median = clock_seconds() - begun;
        found.bytes = fmax(found.bytes, anonymous_memory(child));
    }
    close(output);
    if (waitpid(child, &status, 0) != child || status)
        return (Measured){0};
    return found;
}
