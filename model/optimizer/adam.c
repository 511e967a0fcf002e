/* adam.c: one element at a time, so the result does not depend on the number of threads. */
#include "adam.h"
#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"

#include <tgmath.h>

static const double BETA1 = 0.9, BETA2 = 0.98;

void adam_update(Real *w, Real *m, Real *v, Real *g, size_t count, double scale, double rate,
                 double decay, double epsilon, int64_t t)
{
    const Real b1 = (Real)BETA1, b2 = (Real)BETA2, s = (Real)scale;
    const Real keep = (Real)(1 - rate * decay);
    const Real step = (Real)(rate / (1 - elementary_power(BETA1, (double)t)));
    const Real v_scale = (Real)(1 / sqrt(1 - elementary_power(BETA2, (double)t)));
    /* adam.h's formula, with what is the same for all elements taken out of the loop. */
    OMP(for simd nowait)
    for (size_t i = 0; i < count; i++) {
        const Real gradient = s * g[i];
        m[i] = b1 * m[i] + (1 - b1) * gradient;
        v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
        w[i] = keep * w[i] - step * m[i] / (sqrt(v[i]) * v_scale + (Real)epsilon);
        g[i] = 0;
    }
}
