/* average.c: one pass over both blocks. */
#include "average.h"

#include "base/parallel/threads.h"

void average_add(Real *average, const Real *w, size_t count, int64_t t)
{
    const Real share = t > 10 ? (Real)(10 / (double)t) : 1;
    OMP(parallel for simd)
    for (size_t i = 0; i < count; i++)
        average[i] += share * (w[i] - average[i]);
}
