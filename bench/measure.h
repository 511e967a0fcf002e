/* measure.h: times of repeated work, each kind in a process of its own, and where they go: a table
 * on the screen and the same numbers as JSON. */
#ifndef PULGA_MEASURE_H
#define PULGA_MEASURE_H

/* Seconds: of one round of the work. bytes: the most memory that the process held. */
typedef struct {
    double median, least, most, bytes;
} Measured;

/* Runs round(what) once without looking at the clock, then again and again for about so long: three
 * times at least, and no more often than a list of times has room. */
Measured measure_rounds(void (*round)(void *what), void *what, double seconds);

/* measure(what) in a process of its own, with so many threads: what it holds is gone behind it and
 * its memory is its own. */
Measured measure_apart(Measured (*measure)(const void *what), const void *what, int threads);

/* Runs a command that prints the median's seconds and the bytes of one; median is 0 where it
 * prints nothing, such as where there is no PyTorch. */
Measured measure_command(const char *command);

/* ---- What was found ---- */

/* Begins a section: its title, and above their columns what its numbers are. */
void report_section(const char *title, const char *columns);
/* Begins a row of the section: its name comes first on the line. */
void report_row(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A number in the row, `digits` behind the point, in a column of its own; 0 shows as a dash. */
void report_number(const char *name, double value, int digits, const char *unit);
void report_text(const char *name, const char *text);
/* Ends the row. */
void report_end(void);

/* The file that also gets all of it, as JSON. */
void report_open(const char *path);
void report_close(void);

#endif
