/* log.c: see log.h. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"

/* ---- Opening ---- */

static bool is_ours(const Log *log)
{
    struct stat own, there;
    if (fstat(log->file, &own) || lstat(log->path, &there))
        return true; /* nobody's */
    return own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static void open_locked(Log *log, const char *directory)
{
    /* Neither through a link that a stranger's directory may hold, nor waiting at a pipe. */
    log->file = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    struct stat status;
    if (log->file < 0 || fstat(log->file, &status))
        die("cannot write %s: %s", log->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        die("cannot write %s: it is no file", log->path);
    const int error = flock(log->file, LOCK_EX | LOCK_NB) ? errno : 0;
    if (error == EWOULDBLOCK || !is_ours(log)) /* or it was parted in between */
        die("another train is writing to %s; wait for it, or stop it", directory);
    if (error)
        warn("cannot lock %s: %s; see that no other train writes there", log->path,
             strerror(error));
}

/* Whether another directory has the same file, as where a run was copied by hard links. */
static bool is_shared(const Log *log)
{
    struct stat status;
    return !fstat(log->file, &status) && status.st_nlink > 1;
}

/* Puts a copy in the place of the file, which stays locked until the copy is. */
static void part(Log *log, const char *directory)
{
    const int shared = log->file;
    Bytes file = file_read(log->path, false);
    if (!file_replace(directory, "log.csv", file.bytes, file.size))
        exit(1); /* said */
    open_locked(log, directory);
    close(shared);
    free(file.bytes);
}

Log log_claim(const char *directory)
{
    Log log = {.path = format_text("%s/log.csv", directory)};
    open_locked(&log, directory);
    if (is_shared(&log))
        part(&log, directory);
    return log;
}

bool log_check(const Log *log)
{
    const bool good = is_ours(log);
    if (!good)
        warn("cannot save: %s is another run's; move that run away, and this one back", log->path);
    return good;
}

void log_close(Log *log)
{
    close(log->file);
    arrfree(log->lines);
    free(log->path);
}

/* Cuts the file off behind what is safe. */
static void cut(Log *log)
{
    if (ftruncate(log->file, (off_t)log->safe.size))
        die("cannot write %s: %s", log->path, strerror(errno));
}

__attribute__((format(printf, 2, 3))) static void put(Log *log, const char *format, ...)
{
    char some[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(some, sizeof some, format, arguments);
    va_end(arguments);
    memcpy(arraddnptr(log->lines, length), some, (size_t)length);
}

static void put_header(Log *log)
{
    put(log, "step,epoch,loss,evaluated,gap,learning_rate,gradient_norm,tokens_per_second,"
             "seconds\n");
}

void log_begin(Log *log)
{
    log->safe = (LogMark){0};
    arrfree(log->lines);
    cut(log);
    put_header(log);
}

/* Line by line, so that it does not matter how many of them were saved at once. */
static uint64_t checksum_of_lines(uint64_t checksum, const char *at, size_t size)
{
    while (size) {
        const char *newline = memchr(at, '\n', size);
        const size_t length = newline ? (size_t)(newline + 1 - at) : size;
        checksum = checksum_continue(checksum, at, length);
        at += length;
        size -= length;
    }
    return checksum;
}

void log_go_on(Log *log)
{
    Bytes file = file_read(log->path, false);
    if (!file.size && log->safe.size) {
        warn("%s is missing or empty: it begins anew", log->path);
        log->safe = (LogMark){0};
        arrfree(log->lines);
        put_header(log);
    } else if (file.size < log->safe.size ||
               log->safe.checksum != checksum_of_lines(0, file.bytes, log->safe.size)) {
        die("%s is damaged: its first %zu bytes are not those that were written; put them back, "
            "or remove it and it begins anew",
            log->path, log->safe.size);
    }
    free(file.bytes);
    cut(log);
}

/* ---- Writing ---- */

/* Gives the system what it has not been given yet. What fails is tried again at the next save. */
static void hand_over(Log *log)
{
    while (log->written < arrlenu(log->lines)) {
        const ssize_t done =
            pwrite(log->file, log->lines + log->written, arrlenu(log->lines) - log->written,
                   (off_t)(log->safe.size + log->written));
        if (!done)
            errno = ENOSPC;
        if (done <= 0 && errno != EINTR)
            return;
        log->written += done > 0 ? (size_t)done : 0;
    }
}

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
    struct stat status;
    hand_over(log);
    bool good = log->written == arrlenu(log->lines) && !fsync(log->file);
    if (good && !fstat(log->file, &status) && !status.st_nlink) {
        errno = ENOENT; /* somebody has removed it: what it takes is lost */
        good = false;
    }
    log->written = 0;
    if (!good)
        return false;
    log->safe.checksum = checksum_of_lines(log->safe.checksum, log->lines, arrlenu(log->lines));
    log->safe.size += arrlenu(log->lines);
    arrfree(log->lines);
    return true;
}

bool log_is_safe(const Log *log)
{
    return !arrlenu(log->lines);
}
