/* log.c: log.csv, as text.
 *
 *     step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,tokens_per_second,…
 *     0,1,,6.98077303,2.28,6.56879342,,,0,0.264
 *     3,3,3.23400772,,,,0.0216506351,2.6041636,144,1.000
 *
 * The state of a run names the size of its log, but not that of shown.jsonl: each line there begins
 * with its step, so a resumed run sees which of them belong to steps that it will take again. */
#include "log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/display.h"
#include "base/files/file.h"
#include "files.h"

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
