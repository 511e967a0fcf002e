/* columns.h: sums over the rows of an (N, C) matrix, such as the gradient of a bias. Rows cannot be
 * shared among threads, since all of them add to the same C sums; columns can. Each sum belongs to
 * one thread, which adds the rows in order, so the number of threads does not change its bits. */
#ifndef PULGA_COLUMNS_H
#define PULGA_COLUMNS_H

#include "base/base.h"
#include "base/parallel/threads.h"

typedef struct {
    int from, end;
} Columns;

/* The columns of C that belong to the calling thread of a parallel region: whole cache lines, so
 * that no two threads write to the same one. */
static inline Columns columns_of_thread(int C)
{
    enum { LINE = 64 / sizeof(Real) };
    const int lines = (C + LINE - 1) / LINE, threads = thread_count(), thread = thread_index();
    return (Columns){min_int(lines * thread / threads * LINE, C),
                     min_int(lines * (thread + 1) / threads * LINE, C)};
}

#endif
