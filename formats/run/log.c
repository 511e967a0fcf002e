/* log.c: lines are given to the system at once, each at its own place in the file, so that one can
 * watch them; they stay in memory until a sync has brought them to the disk. If writing fails, the
 * same bytes are written to the same place the next time.
 *
 *     step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,tokens_per_second,…
 *     0,1,,6.98077303,2.28,6.56879342,,,0,0.264
 *     3,3,3.23400772,,,,0.0216506351,2.6041636,144,1.000
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"
#include "files.h"

/* Appends to the lines in memory, which are not ended by a 0. */
__attribute__((format(printf, 2, 3))) static void put(Log *log, const char *format, ...)
{
    char some[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(some, sizeof some, format, arguments);
    va_end(arguments);
    memcpy(arraddnptr(log->lines, length), some, (size_t)length);
}

Log log_begin(const Directory *directory)
{
    Log log = {.directory = directory, .file = -1};
    put(&log, "step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,"
              "tokens_per_second,seconds\n");
    return log;
}

/* The lines after `size` belong to steps that were not saved and will be taken again. A person may
 * have removed the log or made it shorter, which is no reason to refuse the run. */
Log log_resume(const Directory *directory, size_t size)
{
    Log log = {.directory = directory, .file = -1, .size = size};
    Bytes file = {0};
    if (directory_has(directory, LOG_FILE))
        file = file_read_in(directory, LOG_FILE, false);
    if (file.size < size) {
        warn("%s/%s is missing or too short: it begins again", directory->path, LOG_FILE);
        log = log_begin(directory);
    }
    /* Replaced, not cut: in a copy that was made of hard links, the old file is the original's. */
    if (!file_replace(directory, LOG_FILE, file.bytes, log.size))
        exit(1); /* file_replace has printed why */
    free(file.bytes);
    return log;
}

/* Reads the cells of a line into numbers; those that are missing become NAN. */
static void read_cells(char *line, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char *cell = strsep(&line, ","), *end = cell;
        const double number = cell ? strtod(cell, &end) : NAN;
        numbers[i] = end != cell && !*end ? number : (double)NAN;
    }
}

/* The first line has names for numbers, and is left out like any other that has no step. */
void log_each(const Directory *directory, LogVisit *visit, void *visitor)
{
    static const double MOST_STEPS = 0x1p53;
    if (!directory_has(directory, LOG_FILE))
        return;
    Bytes file = file_read_in(directory, LOG_FILE, false);
    for (char *rest = file.bytes, *line; (line = strsep(&rest, "\n")) && rest;) {
        double n[10];
        read_cells(line, n, 10);
        if (n[0] >= 0 && n[0] < MOST_STEPS)
            visit(visitor, &(LogEntry){.step = (int64_t)n[0],
                                       .epoch = n[1] >= 0 && n[1] < MOST_STEPS ? (int64_t)n[1] : 0,
                                       .loss = n[2],
                                       .evaluated = n[3],
                                       .bits_per_byte = n[4],
                                       .gap = n[5],
                                       .rate = n[6],
                                       .gradient_norm = n[7],
                                       .tokens_per_second = n[8],
                                       .seconds = n[9]});
    }
    free(file.bytes);
}

void log_close(Log *log)
{
    if (log->file >= 0)
        close(log->file);
    arrfree(log->lines);
}

/* Gives the system what it was not given yet; false if it does not take all of it. O_NOFOLLOW and
 * O_NONBLOCK: if someone has put a link or a pipe there meanwhile, that fails and does not hang. */
static bool hand_over(Log *log)
{
    if (log->file < 0)
        log->file = openat(log->directory->handle, LOG_FILE,
                           O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    while (log->file >= 0 && log->written < arrlenu(log->lines)) {
        const ssize_t done =
            pwrite(log->file, log->lines + log->written, arrlenu(log->lines) - log->written,
                   (off_t)(log->size + log->written));
        if (done <= 0)
            return false;
        log->written += (size_t)done;
    }
    return log->file >= 0;
}

/* Appends a comma and a number, or nothing after the comma for a NAN. */
static void put_number(Log *log, const char *format, double number)
{
    put(log, ",");
    if (!isnan(number))
        put(log, format, number);
}

void log_write(Log *log, const LogEntry *entry)
{
    put(log, "%" PRId64 ",%" PRId64, entry->step, entry->epoch);
    put_number(log, "%.9g", entry->loss);
    put_number(log, "%.9g", entry->evaluated);
    put_number(log, "%.9g", entry->bits_per_byte);
    put_number(log, "%.9g", entry->gap);
    put_number(log, "%.9g", entry->rate);
    put_number(log, "%.9g", entry->gradient_norm);
    put_number(log, "%.0f", entry->tokens_per_second);
    put_number(log, "%.3f", entry->seconds);
    put(log, "\n");
    hand_over(log);
}

bool log_sync(Log *log)
{
    if (!hand_over(log) || fsync(log->file)) {
        warn("cannot write %s/%s: %s", log->directory->path, LOG_FILE, reason(errno));
        log->written = 0; /* it is unknown what is on the disk: all is written again */
        return false;
    }
    log->size += arrlenu(log->lines);
    log->written = 0;
    arrfree(log->lines);
    return true;
}
