/* measure.h: measures the time of repeated work, each kind in a process of its own, and reports it
 * as a table on the screen and as JSON. */
#ifndef PULGA_MEASURE_H
#define PULGA_MEASURE_H

/* Seconds of one round of the work, and the largest memory of the process in bytes. */
typedef struct {
    double median, least, most, bytes;
} Measured;

/* Runs round(what) once without measuring, then again and again for about `seconds` seconds, at least
 * three times. */
Measured measure_rounds(void (*round)(void *what), void *what, double seconds);

/* Runs measure(what) in a process of its own, with `threads` threads: its memory is measured by
 * itself, and freed after it. */
Measured measure_apart(Measured (*measure)(const void *what), const void *what, int threads);

/* The same, but all is 0 if the process ends with an error, which it has printed. */
Measured measure_if_possible(Measured (*measure)(const void *what), const void *what, int threads);

/* Runs a command that prints the median in seconds, and its memory in bytes. The median is 0 if it
 * prints nothing, for example because there is no PyTorch. */
Measured measure_command(const char *command);

/* ---- The report ---- */

/* Begins a section with its title and the headings of its columns. */
void report_section(const char *title, const char *columns);
/* Begins a row with its name. */
void report_row(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A number of the row, with `digits` decimals, in its own column; the JSON has two more decimals. A
 * 0 means that it was not measured: it is printed as a dash, and the JSON leaves it out. */
void report_number(const char *name, double value, int digits, const char *unit);
/* A word at the end of the row. */
void report_text(const char *name, const char *text);
/* Ends the row. */
void report_end(void);

/* The JSON file that the report is also written to. */
void report_open(const char *path);
void report_close(void);

#endif
