/* slices.c: one walk over the tensors counts the slices, a second one notes them. */
#include "slices.h"

#include <stdlib.h>

enum { SLICE = 1 << 14 };

/* Notes the slices in list, unless it is NULL, and returns how many there are. */
static int cut(Slice *list, const Tensor *tensors, int count)
{
    int slices = 0;
    for (int i = 0; i < count; i++) {
        const size_t size = tensors[i].trained ? tensor_size(&tensors[i]) : 0;
        for (size_t from = 0; from < size; from += SLICE, slices++)
            if (list)
                list[slices] = (Slice){.from = tensors[i].offset + from,
                                       .count = size - from < SLICE ? size - from : SLICE,
                                       .tensor = i};
    }
    return slices;
}

Slices slices_new(const Tensor *tensors, int count)
{
    Slices slices = {.count = cut(NULL, tensors, count)};
    slices.list = memory_new((size_t)slices.count, sizeof *slices.list, "the list of slices");
    cut(slices.list, tensors, count);
    return slices;
}

void slices_free(Slices *slices)
{
    free(slices->list);
}

/* In enough running sums to hide the latency of an addition. */
double slice_squares(const Slice *slice, const Real *block)
{
    enum { SUMS = 64 };
    const Real *x = block + slice->from;
    double sum[SUMS] = {0}, all = 0;
    size_t i = 0;
    for (; i + SUMS <= slice->count; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            sum[j] += (double)x[i + (size_t)j] * (double)x[i + (size_t)j];
    for (; i < slice->count; i++)
        sum[0] += (double)x[i] * (double)x[i];
    for (int j = 0; j < SUMS; j++)
        all += sum[j];
    return all;
}
