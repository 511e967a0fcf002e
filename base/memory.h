/* memory.h: allocation that never returns NULL.
 *
 * If there is no memory, the program dies with one line. So do the libraries: stb_ds allocates
 * through memory.c, and cJSON through memory_take (see formats/json.h). */
#ifndef PULGA_MEMORY_H
#define PULGA_MEMORY_H

#include <stddef.h>
#include <stdio.h>

#include "real.h"

/* malloc and realloc that die instead of returning NULL. */
void *memory_take(size_t bytes);
void *memory_resize(void *memory, size_t bytes);

/* Zeroed memory for count x size bytes that starts on a cache line; the caller frees it with
 * free(). If there is not that much, dies and names the purpose. Pages of a large block that are
 * never touched cost nothing. */
void *memory_new(size_t count, size_t size, const char *purpose);

/* Numbers that are 0, as from memory_new(), and in large pages if the system has them: the
 * processor finds a number faster there. Only for numbers that will all be used, such as
 * weights. */
Real *memory_numbers(size_t count, const char *purpose);

/* Dies unless the machine, and the limit that was set, have this much memory at all. Call it
 * before allocating: Linux hands out more memory than there is, and kills the program when it is
 * used. */
void memory_check(double bytes, const char *purpose);

/* What a container or ulimit allows this process; called once, when the program starts. */
void memory_limit_set(double bytes);

/* A stream that writes into memory, as open_memstream() does. After fclose(), *text holds all of
 * it, ended by a 0 that *size does not count; the caller frees *text. Writing never fails. `size`
 * may be NULL. */
FILE *memory_stream(char **text, size_t *size);

/* One block of numbers handed out piece by piece. With at == NULL it only counts, so one layout
 * function serves twice: first to learn the size, then to place. */
typedef struct {
    Real *at;
    size_t used; /* numbers handed out so far */
} Arena;

/* The next rows x cols numbers, starting on a cache line; NULL while counting. */
Real *arena_take(Arena *arena, size_t rows, size_t cols);

#endif
