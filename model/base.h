/* base.h: what every room stands on: the number type, failing, memory, threads, time. */
#ifndef PULGA_BASE_H
#define PULGA_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of the model computes in this type: float, or double in the build that the exactness tests
 * use (-DREAL=double). */
#ifndef REAL
#define REAL float
#endif
typedef REAL Real;

/* The one way to fail: "program: message" on standard error, exit status 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with another exit status. */
_Noreturn void die_with(int status, const char *format, va_list arguments);

/* The same line where all goes on. */
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message in memory of its own, which the caller frees: what went wrong, told upwards. */
char *saying(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts ? in the place of each byte of a control character, of a mark that turns the writing round
 * and of what is no UTF-8: a name out of a damaged file must not look like a second line, nor speak
 * to the terminal. */
void text_disarm(char *text);

/* Zeroed memory on a cache line's boundary, or die saying how much was wanted and for what. The
 * caller frees it with free(). What of a large block is never used takes no memory. */
void *memory_new(size_t count, size_t size, const char *purpose);

/* Dies unless the machine, and the container that it may be, has so much memory at all. Asked for
 * beforehand: the system hands out more than there is, and ends the program when it is used. */
void memory_check(double bytes, const char *purpose);

/* One block of numbers handed out piece by piece. With at == NULL it only counts, so one layout
 * function serves twice: first to learn the size, then to place. */
typedef struct {
    Real *at;
    size_t used; /* numbers handed out so far */
} Arena;

/* The next rows x cols numbers, starting on a cache line; NULL while counting. */
Real *arena_take(Arena *arena, size_t rows, size_t cols);

/* Threads that a parallel region may have; those of the region that the caller is in, and its place
 * among them. */
int thread_limit(void);
void thread_set_limit(int threads);
int thread_count(void);
int thread_index(void);

/* Whether a loop over the numbers of an (N, C) matrix is worth waking the other threads: below
 * this, one alone is done before they have come. */
static inline bool worth_threads(int N, int C)
{
    return (double)N * C > 1 << 12;
}

double clock_seconds(void); /* since some fixed moment; only differences mean anything */

/* Row number i of a matrix with rows of the given width. */
#define ROW(matrix, i, width) ((matrix) + (size_t)(i) * (size_t)(width))

#endif
