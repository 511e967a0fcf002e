/* measure.c: forks a process for each figure, which sends it back through a pipe. So one figure's
 * memory is not counted for the next, and nothing that it left in the caches or in the allocator
 * makes the next one faster. */
#include "bench.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/parallel/threads.h"

/* Rounds that are measured: at most what the list of times has room for, at least what makes a
 * median. */
enum { MOST_ROUNDS = 4000, LEAST_ROUNDS = 3 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *figures, int count)
{
    qsort(figures, (size_t)count, sizeof *figures, by_size);
    return figures[count / 2];
}

Measured measure_rounds(void (*round)(void *what), void *what, double seconds)
{
    static double times[MOST_ROUNDS];
    int count = 0;
    round(what); /* touches the memory and wakes the threads */
    const double begun = clock_seconds();
    while (count < MOST_ROUNDS && (count < LEAST_ROUNDS || clock_seconds() - begun < seconds)) {
        const double before = clock_seconds();
        round(what);
        times[count++] = clock_seconds() - before;
    }
    const double median = measure_median(times, count);
    return (Measured){.median = median, .least = times[0], .most = times[count - 1]};
}

Measured measure_apart(Measured (*measure)(const void *what), const void *what, int threads)
{
    Measured found = {0};
    int ends[2], status;
    struct rusage used;
    fflush(NULL);
    if (pipe(ends))
        die("cannot make a pipe to the process that measures");
    const pid_t child = fork();
    if (child < 0)
        die("cannot start a process to measure in");
    if (child == 0) {
        thread_set_limit(threads);
        found = measure(what);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    const bool complete = read(ends[0], &found, sizeof found) == sizeof found;
    close(ends[0]);
    if (wait4(child, &status, 0, &used) != child || status || !complete)
        return (Measured){0};
    found.bytes = 1024.0 * (double)used.ru_maxrss;
    return found;
}

/* ---- Commands ---- */

double measure_command(char *command)
{
    const double begun = clock_seconds();
    const int status = system(command);
    free(command);
    return status ? 0 : clock_seconds() - begun;
}

Measured measure_python(char *script)
{
    const char *python = getenv("PYTHON");
    char *command =
        format_text("%s tests/bench/%s 2>/dev/null", python ? python : "python3", script);
    FILE *output = popen(command, "r");
    if (!output)
        die("cannot start: %s", command);
    Measured found = {0};
    for (Measured next = {0}; fscanf(output, "%lf %lf", &next.median, &next.bytes) == 2;)
        if (!found.median || next.median < found.median)
            found = next;
    pclose(output);
    free(command);
    free(script);
    return found;
}

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

/* Starts a command that writes into a file. */
static pid_t start(const char *command, FILE *output)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        die("cannot start: %s", command);
    if (child == 0) {
        dup2(fileno(output), STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(1);
    }
    return child;
}

/* Whether a file has the row of a step: "    15  0.889229  0.785989 ...". */
static bool has_row(FILE *output, int step)
{
    char row[16], text[1 << 14];
    snprintf(row, sizeof row, "\n%6d  ", step);
    const ssize_t size = pread(fileno(output), text, sizeof text, 0);
    return size > 0 && memmem(text, (size_t)size, row, strlen(row));
}

/* Looks at the program every few milliseconds, since the kernel keeps no record of the most
 * anonymous memory. */
Measured measure_train(int step, char *command)
{
    Measured found = {0};
    FILE *output = tmpfile();
    if (!output)
        die("cannot make a temporary file");
    const double begun = clock_seconds();
    const pid_t child = start(command, output);
    int status;
    while (!waitpid(child, &status, WNOHANG)) {
        usleep(3000);
        found.bytes = fmax(found.bytes, anonymous_memory(child));
        if (!found.median && has_row(output, step))
            found.median = clock_seconds() - begun;
    }
    fclose(output);
    free(command);
    return status ? (Measured){0} : found;
}

/* ---- The report ---- */

/* The one report of this program: rows are printed as a table, and each is an object of the JSON
 * array, {"section": "product, of f32 peak", "case": "S 768x128x384", "f32_forward": 66.0, ...}. */
static struct {
    FILE *json;
    const char *section;
    bool any_row;
} report;

void report_open(const char *path)
{
    report.json = fopen(path, "w");
    if (!report.json)
        die("cannot write %s", path);
    fprintf(report.json, "[");
}

void report_close(void)
{
    fprintf(report.json, "\n]\n");
    if (ferror(report.json) | fclose(report.json))
        die("cannot write the whole report");
}

void report_section(const char *title, const char *columns)
{
    report.section = title;
    printf("\n%-30s%s\n", title, columns);
}

void report_row(const char *format, ...)
{
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    printf("  %-28s", name);
    fprintf(report.json, "%s\n  {\"section\": \"%s\", \"case\": \"%s\"", report.any_row ? "," : "",
            report.section, name);
    report.any_row = true;
}

void report_number(const char *name, double value, int digits, const char *unit)
{
    char shown[64] = "-";
    if (isnormal(value)) {
        snprintf(shown, sizeof shown, "%.*f%s", digits, value, unit);
        fprintf(report.json, ", \"%s\": %.*f", name, digits + 2, value);
    }
    printf("%11s", shown);
    fflush(stdout);
}

void report_end(void)
{
    printf("\n");
    fprintf(report.json, "}");
    fflush(report.json);
}
