/* bench.h: measures the time of repeated work, each kind in a process of its own, and reports it as
 * a table on the screen and as JSON. */
#ifndef PULGA_BENCH_H
#define PULGA_BENCH_H

#include "model/gpt.h"

/* Seconds of one round of the work, and the largest memory of the process in bytes. All is 0 if
 * nothing could be measured. */
typedef struct {
    double median, least, most, bytes;
} Measured;

/* Sorts the figures and returns their median. */
double measure_median(double *figures, int count);

/* Runs round(what) once without measuring, then again and again for about `seconds` seconds, at
 * least three times. */
Measured measure_rounds(void (*round)(void *what), void *what, double seconds);

/* Runs measure(what) in a process of its own, with `threads` threads: its memory is measured by
 * itself, and freed after it. */
Measured measure_apart(Measured (*measure)(const void *what), const void *what, int threads);

/* Runs a command and frees it. Returns the seconds that it took, 0 if it failed. */
double measure_command(char *command);

/* Runs a script of this folder with $PYTHON, and frees the call. It prints the median in seconds
 * and its memory in bytes, more than once if it knows several ways: the fastest counts. It prints
 * nothing if, for example, there is no PyTorch. */
Measured measure_python(char *script);

/* Runs "exec ./train ..." to its end, and frees the command. The median is the seconds from its
 * start until it prints the row of a step, and the bytes are its most anonymous memory, which does
 * not count mapped files. */
Measured measure_train(int step, char *command);

/* ---- The report ---- */

/* Begins a section with its title and the headings of its columns. */
void report_section(const char *title, const char *columns);
/* Begins a row with its name. */
void report_row(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A number of the row, with `digits` decimals, in its own column; the JSON has two more decimals.
 * 0, or what was divided by 0, was not measured: a dash is printed, and the JSON leaves it out. */
void report_number(const char *name, double value, int digits, const char *unit);
/* Ends the row. */
void report_end(void);

/* The JSON file that the report is also written to. */
void report_open(const char *path);
void report_close(void);

/* ---- What is measured ---- */

/* The machine's peak speed, in arithmetic and in reading memory, by which the other figures are
 * judged: what the data sheet says is not reached on a machine that other programs share. A round
 * is that many independent multiplications and additions on each thread; or it reads that many
 * bytes, all threads together, far more than any cache holds. */
extern const double PEAK_OPERATIONS, PEAK_BYTES;
Measured measure_arithmetic(const void *unused);
Measured measure_reading(const void *unused);

/* How fast texts are read, how fast subwords are trained and encoded beside Hugging Face's
 * tokenizers and tiktoken, and how soon a run takes its first step: with a text, or if `text` is
 * NULL with one of `size` bytes that is made. `folder` is for that text, which is removed, and for
 * a run; `programs` is where ./train is. */
void bench_texts(const char *text, double size, const char *folder, const char *programs,
                 int threads);

/* How fast ./sample writes, and reads a prompt, beside llama.cpp with the same weights and PyTorch:
 * with untrained weights of these sizes, with one thread and with all. `bandwidth` has the bytes a
 * second that one thread, and all of them, read from memory; `folder` is for the model, which is
 * removed; `programs` is where ./sample and ./export are. */
void bench_writing(const GptConfig *config, int threads, const double bandwidth[2],
                   const char *folder, const char *programs);

/* How long a step of ./train takes by default, for two texts; and one of a model of 4,192 numbers,
 * a name each step, beside the program of microgpt.c that $PEER names. `folder` is for texts and
 * runs, and `programs` is where ./train is. */
void bench_runs(const char *folder, const char *programs);

#endif
