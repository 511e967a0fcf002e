/* optimizer.c: walks the list of tensors. Of Muon's matrices every thread takes one after another;
 * of AdamW's tensors every thread updates its share. No thread waits for another before the end,
 * and a number does not depend on the thread that computes it. */
#include "optimizer.h"

#include <math.h>
#include <stdlib.h>

#include "adam.h"
#include "average.h"
#include "base/parallel/threads.h"

static bool takes_muon(OptimizerKind kind, const Tensor *tensor)
{
    return kind == OPTIMIZER_MUON && tensor->parts;
}

/* Numbers of Muon's largest matrix, and of its largest square; 0 for AdamW. */
static void sizes_of(const Tensor *tensors, int count, OptimizerKind kind, size_t *largest,
                     size_t *square)
{
    *largest = *square = 0;
    for (int i = 0; i < count; i++) {
        if (!takes_muon(kind, &tensors[i]))
            continue;
        const size_t rows = (size_t)tensors[i].rows;
        const size_t cols = (size_t)(tensors[i].cols / tensors[i].parts);
        const size_t side = rows < cols ? rows : cols;
        *largest = rows * cols > *largest ? rows * cols : *largest;
        *square = side * side > *square ? side * side : *square;
    }
}

/* Of all threads together. */
static size_t room_of(size_t largest, size_t square)
{
    return 2 * (size_t)thread_limit() * (largest + square);
}

double optimizer_bytes(const Tensor *tensors, int count, size_t numbers, OptimizerKind kind,
                       bool average)
{
    size_t largest, square;
    sizes_of(tensors, count, kind, &largest, &square);
    return ((average ? 3 : 2) * (double)numbers + (double)room_of(largest, square)) * sizeof(Real);
}

Optimizer optimizer_new(const Gpt *gpt, OptimizerKind kind, bool average)
{
    Optimizer optimizer = {
        .kind = kind,
        .m = memory_new(gpt->size, sizeof(Real), "the optimizer's first moment"),
        .v = memory_new(gpt->size, sizeof(Real), "the optimizer's second moment"),
        .slices = slices_new(gpt->tensors, gpt->tensor_count, 1, kind == OPTIMIZER_MUON),
    };
    optimizer.squares = memory_new((size_t)optimizer.slices.count, sizeof(double), "the norm");
    if (average)
        optimizer.average = memory_new(gpt->size, sizeof(Real), "the averaged weights");
    sizes_of(gpt->tensors, gpt->tensor_count, kind, &optimizer.largest, &optimizer.square);
    optimizer.room = memory_new(room_of(optimizer.largest, optimizer.square), sizeof(Real),
                                "Muon's room to work in");
    return optimizer;
}

void optimizer_free(Optimizer *optimizer)
{
    free(optimizer->m);
    free(optimizer->v);
    free(optimizer->average);
    free(optimizer->room);
    slices_free(&optimizer->slices);
    free(optimizer->squares);
}

void optimizer_share(Optimizer *optimizer, const Gpt *gpt, int members, int member)
{
    slices_free(&optimizer->slices);
    optimizer->slices =
        slices_new(gpt->tensors, gpt->tensor_count, members, optimizer->kind == OPTIMIZER_MUON);
    optimizer->member = member;
}

void optimizer_square(const Optimizer *optimizer, const Gpt *gpt)
{
    const Slices *slices = &optimizer->slices;
    OMP(parallel for)
    for (int i = 0; i < slices->count; i++)
        if (slices->list[i].owner == optimizer->member)
            optimizer->squares[i] = slice_squares(&slices->list[i], gpt->gradient_block);
}

double optimizer_gradient_norm(const Optimizer *optimizer)
{
    double sum = 0;
    for (int i = 0; i < optimizer->slices.count; i++)
        sum += optimizer->squares[i];
    return sqrt(sum);
}

/* Several matrices may lie side by side in a tensor: queries, keys and values. */
static void muon_step(Optimizer *optimizer, Gpt *gpt, const Tensor *tensor, double scale,
                      double rate, double decay)
{
    const size_t largest = optimizer->largest, square = optimizer->square;
    Real *const room = optimizer->room + 2 * (largest + square) * (size_t)thread_index();
    const MuonWork work = {room, room + largest, room + 2 * largest, room + 2 * largest + square};
    const int cols = tensor->cols / tensor->parts;
    const Matrix whole = matrix(gpt->weight_block + tensor->offset, tensor->rows, tensor->cols);
    for (int from = 0; from < tensor->cols; from += cols) {
        const size_t at = tensor->offset + (size_t)from;
        muon_update(matrix_cols(whole, from, cols), optimizer->m + at, gpt->gradient_block + at,
                    &work, scale, rate, decay);
    }
}

/* Where the slices end that have the tensor and the owner of slice i. */
static int same_end(const Slices *slices, int i)
{
    const Slice *list = slices->list, *first = &list[i];
    while (i < slices->count && list[i].tensor == first->tensor && list[i].owner == first->owner)
        i++;
    return i;
}

void optimizer_step(Optimizer *optimizer, Gpt *gpt, double scale, double rate, double decay,
                    int64_t t)
{
    const Slices *slices = &optimizer->slices;
    OMP(parallel)
    {
        OMP(for schedule(dynamic) nowait)
        for (int i = 0; i < slices->count; i++) {
            const Slice *slice = &slices->list[i];
            const Tensor *tensor = &gpt->tensors[slice->tensor];
            if (slice->owner == optimizer->member && slice->from == tensor->offset &&
                takes_muon(optimizer->kind, tensor))
                muon_step(optimizer, gpt, tensor, scale, rate, decay);
        }

        for (int i = 0, end; i < slices->count; i = end) {
            end = same_end(slices, i);
            const Slice *first = &slices->list[i], *last = &slices->list[end - 1];
            const Tensor *tensor = &gpt->tensors[first->tensor];
            if (first->owner != optimizer->member || takes_muon(optimizer->kind, tensor))
                continue;
            const size_t at = first->from, count = last->from + last->count - at;
            adam_update(gpt->weight_block + at, optimizer->m + at, optimizer->v + at,
                        gpt->gradient_block + at, count, scale, rate,
                        tensor->kind == TENSOR_MATRIX ? decay : 0, t);
        }
    }
}

void optimizer_average(const Optimizer *optimizer, const Gpt *gpt, int64_t t)
{
    if (optimizer->average)
        average_add(optimizer->average, gpt->weight_block, gpt->size, t);
}
