/* gnu.c: GNU's OpenMP makes a team even of one thread, with memory of its own, and tells the system
 * when it ends. Here a region of one thread is a plain call, unless it is inside another region.
 * The linker puts this function in the library's place (--wrap: see GOMP in the Makefile). */
#include "threads.h"

int omp_in_parallel(void);

typedef void Region(void *data);
void __real_GOMP_parallel(Region *region, void *data, unsigned threads, unsigned flags);
void __wrap_GOMP_parallel(Region *region, void *data, unsigned threads, unsigned flags);

void __wrap_GOMP_parallel(Region *region, void *data, unsigned threads, unsigned flags)
{
    if ((threads == 1 || thread_limit() == 1) && !omp_in_parallel())
        region(data);
    else
        __real_GOMP_parallel(region, data, threads, flags);
}
