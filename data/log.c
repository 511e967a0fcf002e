/* log.c: see log.h. */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/base.h"

FILE *log_open(const char *directory, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/log.csv", directory);
    FILE *log = fopen(path, size ? "r+e" : "we");
    struct stat status;
    if (log && !fstat(fileno(log), &status) && (size_t)status.st_size < size)
        die("%s is shorter than the run's state says: it was damaged", path);
    if (!log || (size && (ftruncate(fileno(log), (off_t)size) || fseek(log, 0, SEEK_END))))
        die("cannot write %s: %s", path, strerror(errno));
    if (!size)
        fputs("step,epoch,loss,evaluated,gap,learning_rate,gradient_norm,tokens_per_second,"
              "seconds\n", log);
    return log;
}

static void put(FILE *log, const char *format, double number)
{
    fputc(',', log);
    if (!isnan(number))
        fprintf(log, format, number);
}

void log_write(FILE *log, const LogEntry *entry)
{
    fprintf(log, "%" PRId64 ",%" PRId64, entry->step, entry->epoch);
    put(log, "%.9g", entry->loss);
    put(log, "%.9g", entry->evaluated);
    put(log, "%.9g", entry->gap);
    put(log, "%.9g", entry->rate);
    put(log, "%.9g", entry->gradient_norm);
    put(log, "%.0f", entry->tokens_per_second);
    put(log, "%.3f", entry->seconds);
    fputc('\n', log);
}

bool log_sync(FILE *log, size_t *size)
{
    if (fflush(log) || ferror(log) || fsync(fileno(log))) {
        fprintf(stderr, "%s: cannot write log.csv: %s\n", program_invocation_short_name,
                strerror(errno));
        /* What could not be written is given up: whole lines stay, the next save may succeed. */
        __fpurge(log);
        clearerr(log);
        if (!ftruncate(fileno(log), (off_t)*size))
            fseek(log, (long)*size, SEEK_SET);
        return false;
    }
    *size = (size_t)ftell(log);
    return true;
}
