/* log.c: log.csv, as text.
 *
 *     step,epoch,loss,evaluated,bits_per_byte,gap,learning_rate,gradient_norm,tokens_per_second,…
 *     0,1,,6.98077303,2.28,6.56879342,,,0,0.264
 *     3,3,3.23400772,,,,0.0216506351,2.6041636,144,1.000
 */
#include "log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
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

/* Writes a comma and a number, or nothing after the comma for a NAN. */
static void put_number(FILE *out, const char *format, double number)
{
    fputc(',', out);
    if (!isnan(number))
        fprintf(out, format, number);
}

void log_write(Lines *log, const LogEntry *entry)
{
    char *line;
    FILE *out = memory_stream(&line, NULL);
    fprintf(out, "%" PRId64 ",%" PRId64, entry->step, entry->epoch);
    put_number(out, "%.9g", entry->loss);
    put_number(out, "%.9g", entry->evaluated);
    put_number(out, "%.9g", entry->bits_per_byte);
    put_number(out, "%.9g", entry->gap);
    put_number(out, "%.9g", entry->rate);
    put_number(out, "%.9g", entry->gradient_norm);
    put_number(out, "%.0f", entry->tokens_per_second);
    put_number(out, "%.3f", entry->seconds);
    fputc('\n', out);
    fclose(out);
    lines_add(log, line);
    free(line);
}
