/* slices.c: one walk over the tensors counts the slices, a second one notes them; a walk over the
 * slices of each stage chooses their owners. */
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
                                       .tensor = i,
                                       .stage = tensors[i].stage};
    }
    return slices;
}

/* Where the slice's unit ends, which has one owner: the slice, or all of a matrix that stays
 * whole. */
static int unit_end(const Slices *slices, int i, const Tensor *tensors, bool whole)
{
    const int tensor = slices->list[i++].tensor;
    if (whole && tensors[tensor].parts)
        while (i < slices->count && slices->list[i].tensor == tensor)
            i++;
    return i;
}

/* A stage of n numbers is cut into equal shares; the middle of a unit says in whose share it is. */
static void choose_owners(Slices *slices, const Tensor *tensors, int owners, bool whole)
{
    Slice *list = slices->list;
    for (int i = 0, stage_end; i < slices->count; i = stage_end) {
        size_t numbers = 0, before = 0;
        for (stage_end = i; stage_end < slices->count && list[stage_end].stage == list[i].stage;)
            numbers += list[stage_end++].count;
        for (int end; i < stage_end; i = end) {
            end = unit_end(slices, i, tensors, whole);
            const size_t size = list[end - 1].from + list[end - 1].count - list[i].from;
            const size_t share = (before + size / 2) * (size_t)owners / numbers;
            for (int j = i; j < end; j++)
                list[j].owner = (int)((share + (size_t)list[i].stage) % (size_t)owners);
            before += size;
        }
    }
}

/* At most as many runs as slices. */
static void join_runs(Slices *slices)
{
    slices->runs = memory_new((size_t)slices->count, sizeof *slices->runs, "the list of slices");
    for (int i = 0; i < slices->count; i++) {
        const Slice *slice = &slices->list[i];
        Run *last = i ? &slices->runs[slices->run_count - 1] : NULL;
        if (last && last->stage == slice->stage && last->owner == slice->owner)
            last->count = slice->from + slice->count - last->from;
        else
            slices->runs[slices->run_count++] =
                (Run){slice->from, slice->count, slice->stage, slice->owner};
    }
}

Slices slices_new(const Tensor *tensors, int count, int owners, bool whole)
{
    Slices slices = {.count = cut(NULL, tensors, count)};
    slices.list = memory_new((size_t)slices.count, sizeof *slices.list, "the list of slices");
    cut(slices.list, tensors, count);
    choose_owners(&slices, tensors, owners, whole);
    join_runs(&slices);
    return slices;
}

void slices_free(Slices *slices)
{
    free(slices->list);
    free(slices->runs);
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
