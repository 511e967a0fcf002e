/* adam.c: walks the list of tensors; every thread updates its share of each tensor, one element at
 * a time, so the result does not depend on the number of threads. */
#include "adam.h"
#include "base/threads.h"

#include <stdlib.h>
#include <tgmath.h>

static const double BETA1 = 0.9, BETA2 = 0.98, EPSILON = 1e-9;

Adam adam_new(const Gpt *gpt)
{
    return (Adam){
        .m = memory_new(gpt->size, sizeof(Real), "Adam's first moment"),
        .v = memory_new(gpt->size, sizeof(Real), "Adam's second moment"),
    };
}

void adam_free(Adam *adam)
{
    free(adam->m);
    free(adam->v);
}

/* In enough running sums to hide the latency of an addition. */
static double sum_of_squares(const Real *x, size_t count)
{
    enum { SUMS = 64 };
    double sum[SUMS] = {0}, all = 0;
    size_t i = 0;
    for (; i + SUMS <= count; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            sum[j] += (double)x[i + (size_t)j] * (double)x[i + (size_t)j];
    for (; i < count; i++)
        sum[0] += (double)x[i] * (double)x[i];
    for (int j = 0; j < SUMS; j++)
        all += sum[j];
    return all;
}

double adam_gradient_norm(const Gpt *gpt)
{
    /* Between tensors the block holds zeros, which add nothing, so the sum runs over the whole
     * block: in fixed parts, which are added in order whatever the number of threads. */
    enum { PART = 1 << 14, PARTS_AT_ONCE = 256 };
    double squares = 0;
    for (size_t first = 0; first < gpt->size; first += (size_t)PART * PARTS_AT_ONCE) {
        double part[PARTS_AT_ONCE] = {0};
        OMP(parallel for schedule(static, 1))
        for (int i = 0; i < PARTS_AT_ONCE; i++) {
            const size_t from = first + (size_t)i * PART;
            const size_t left = from < gpt->size ? gpt->size - from : 0;
            part[i] = sum_of_squares(gpt->gradient_block + from, left < PART ? left : PART);
        }
        for (int i = 0; i < PARTS_AT_ONCE; i++)
            squares += part[i];
    }
    return sqrt(squares);
}

void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, int64_t t)
{
    const Real b1 = (Real)BETA1, b2 = (Real)BETA2, epsilon = (Real)EPSILON, s = (Real)scale;
    const Real keep = (Real)(1 - rate * decay);
    const Real step = (Real)(rate / (1 - pow(BETA1, (double)t)));
    const Real v_scale = (Real)(1 / sqrt(1 - pow(BETA2, (double)t)));
    OMP(for simd nowait)
    for (size_t i = 0; i < count; i++) {
        const Real gradient = s * g[i];
        m[i] = b1 * m[i] + (1 - b1) * gradient;
        v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
        w[i] = keep * w[i] - step * m[i] / (sqrt(v[i]) * v_scale + epsilon);
        g[i] = 0;
    }
}

void adam_step(Adam *adam, Gpt *gpt, double scale, double rate, double decay, int64_t t)
{
    OMP(parallel)
    for (int i = 0; i < gpt->tensor_count; i++) {
        const Tensor *tensor = &gpt->tensors[i];
        if (!tensor->trained)
            continue;
        const size_t at = tensor->offset;
        adam_update(gpt->weight_block + at, adam->m + at, adam->v + at, gpt->gradient_block + at,
                    tensor_size(tensor), scale, rate, tensor->kind == TENSOR_MATRIX ? decay : 0, t);
    }
}
