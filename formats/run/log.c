/* log.c: log.csv, as text.
 *
 *     step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,tokens_per_second,…
 *     0,1,,6.98077303,2.28,6.56879342,,,0,0.264
 *     3,3,3.23400772,,,,0.0216506351,2.6041636,144,1.000
 *
 * The state of a run names the size of its log, but not that of shown.jsonl: each line there begins
 * with its step, so a resumed run sees which of them belong to steps that it will take again. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stb/stb_ds.h>
#include <unistd.h>

#include "base/base.h"
#include "base/files/file.h"
#include "base/utf8.h"

/* Lines are given to the system at once, each at its own place in the file, so that one
 * can watch them; they stay in memory until a sync has brought them to the disk. If writing fails,
 * the same bytes are written to the same place the next time. */
static void put(Lines *lines, const char *text)
{
    for (; *text; text++)
        arrput(lines->waiting, *text);
}

static Lines lines_begin(const Directory *directory, const char *name, const char *first)
{
    Lines lines = {.directory = directory, .name = name, .file = -1};
    put(&lines, first);
    return lines;
}

/* The file, cut to this size; a new one, which begins with the line `first`, if it is shorter or
 * missing. The lines after `size` belong to steps that were not saved and will be taken again. A
 * person may have removed the file or made it shorter, which is no reason to refuse the run. */
static Lines lines_resume(const Directory *directory, const char *name, const char *first,
                          size_t size)
{
    Lines lines = {.directory = directory, .name = name, .file = -1, .size = size};
    Bytes file = {0};
    if (directory_has(directory, name))
        file = file_read_in(directory, name, false);
    if (file.size < size) {
        warn("%s/%s is missing or too short: it begins again", directory->path, name);
        lines = lines_begin(directory, name, first);
    }
    /* Replaced, not cut: in a copy that was made of hard links, the old file is the original's. */
    if (!file_replace(directory, name, file.bytes, lines.size))
        exit(1); /* file_replace has printed why */
    free(file.bytes);
    return lines;
}

void lines_close(Lines *lines)
{
    if (lines->file >= 0)
        close(lines->file);
    arrfree(lines->waiting);
}

/* Gives the system what it was not given yet; false if it does not take all of it. O_NOFOLLOW and
 * O_NONBLOCK: if someone has put a link or a pipe there meanwhile, that fails and does not hang. */
static bool hand_over(Lines *lines)
{
    if (lines->file < 0)
        lines->file = openat(lines->directory->handle, lines->name,
                             O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    while (lines->file >= 0 && lines->written < arrlenu(lines->waiting)) {
        const ssize_t done =
            pwrite(lines->file, lines->waiting + lines->written,
                   arrlenu(lines->waiting) - lines->written, (off_t)(lines->size + lines->written));
        if (done <= 0)
            return false;
        lines->written += (size_t)done;
    }
    return lines->file >= 0;
}

/* Appends a text, which ends with a line end. */
static void lines_add(Lines *lines, const char *text)
{
    put(lines, text);
    hand_over(lines);
}

bool lines_sync(Lines *lines)
{
    if (!arrlenu(lines->waiting))
        return true;
    if (!hand_over(lines) || fsync(lines->file)) {
        warn("cannot write %s/%s: %s", lines->directory->path, lines->name, reason(errno));
        lines->written = 0; /* it is unknown what is on the disk: all is written again */
        return false;
    }
    lines->size += arrlenu(lines->waiting);
    lines->written = 0;
    arrfree(lines->waiting);
    return true;
}

static const char HEADER[] = "step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,"
                             "gradient_norm,tokens_per_second,seconds\n";

Lines log_begin(const Directory *directory)
{
    return lines_begin(directory, LOG_FILE, HEADER);
}

Lines log_resume(const Directory *directory, size_t size)
{
    return lines_resume(directory, LOG_FILE, HEADER, size);
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
            visit(visitor,
                  &(LogEntry){(int64_t)n[0], n[1] >= 0 && n[1] < MOST_STEPS ? (int64_t)n[1] : 0,
                              n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]});
    }
    free(file.bytes);
}

/* A NAN is left empty. */
void log_write(Lines *log, const LogEntry *e)
{
    const double numbers[] = {e->loss, e->evaluated,     e->bits_per_byte,     e->gap,
                              e->rate, e->gradient_norm, e->tokens_per_second, e->seconds};
    char *line = format_text("%" PRId64 ",%" PRId64, e->step, e->epoch);
    for (int i = 0; i < 8; i++)
        extend_text(&line,
                    isnan(numbers[i]) ? ","
                    : i < 6           ? ",%.9g"
                    : i < 7           ? ",%.0f"
                                      : ",%.3f",
                    numbers[i]);
    extend_text(&line, "\n");
    lines_add(log, line);
    free(line);
}

/* ---- What was shown ---- */

Lines shown_begin(const Directory *directory)
{
    return lines_begin(directory, SHOWN_FILE, "");
}

/* The step of a line; 0 of one that a person has written. */
static int64_t step_of(const char *line)
{
    static const char begin[] = "{\"step\":";
    return strncmp(line, begin, strlen(begin)) ? 0 : strtoll(line + strlen(begin), NULL, 10);
}

/* A line that is not ended was being written when the run was killed. */
Lines shown_resume(const Directory *directory, int64_t last)
{
    if (!directory_has(directory, SHOWN_FILE))
        return shown_begin(directory);
    Bytes file = file_read_in(directory, SHOWN_FILE, false);
    const char *line = file.bytes;
    for (const char *end; (end = strchr(line, '\n')) && step_of(line) <= last;)
        line = end + 1;
    const size_t size = (size_t)(line - file.bytes);
    free(file.bytes);
    return lines_resume(directory, SHOWN_FILE, "", size);
}

void shown_write(Lines *shown, int64_t step, const char *prompt, const char *text, bool ended,
                 double log_probability)
{
    char *line;
    FILE *out = memory_stream(&line, NULL);
    fprintf(out, "{\"step\":%" PRId64 ",\"prompt\":", step);
    put_json(out, prompt);
    fprintf(out, ",\"text\":");
    put_json(out, text);
    fprintf(out, ",\"ended\":%s,\"log_probability\":%.9g}\n", ended ? "true" : "false",
            log_probability);
    fclose(out);
    lines_add(shown, line);
    free(line);
}
