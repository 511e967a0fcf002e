/* feedforward.c: two linear layers with the activation between them; backward computes the
 * activation's derivative from the hidden values that forward kept. */
#include "feedforward.h"

#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"

static const Real GELU_SCALE = (Real)0.79788456080286535588; /* √(2/π) */
static const Real GELU_CUBE = (Real)0.044715;

/* gelu(h) = h · share, share = (1 + tanh u)/2 = 1/(1 + e^−2u), with
 * u = √(2/π) · (h + 0.044715 h³). */
static inline Real gelu_share(Real h)
{
    return 1 / (1 + real_exp(-2 * GELU_SCALE * (h + GELU_CUBE * h * h * h)));
}

static void activate(Real *active, const Real *hidden, int count, Activation activation)
{
    switch (activation) {
    case ACTIVATION_RELU:
        for (int j = 0; j < count; j++)
            active[j] = hidden[j] > 0 ? hidden[j] : 0;
        break;
    case ACTIVATION_GELU:
        for (int j = 0; j < count; j++)
            active[j] = hidden[j] * gelu_share(hidden[j]);
    }
}

/* dhidden = dactive∘act'(hidden), in place: d is dactive before and dhidden after. */
static void activate_backward(Real *d, const Real *hidden, int count, Activation activation)
{
    switch (activation) {
    case ACTIVATION_RELU: /* max(0, h) */
        for (int j = 0; j < count; j++)
            d[j] = hidden[j] > 0 ? d[j] : 0;
        break;
    case ACTIVATION_GELU: /* h · s, with s' = 2 · s · (1 − s) · u' */
        for (int j = 0; j < count; j++) {
            const Real h = hidden[j], s = gelu_share(h);
            const Real du = GELU_SCALE * (1 + 3 * GELU_CUBE * h * h);
            d[j] *= s + h * 2 * s * (1 - s) * du;
        }
    }
}

FeedForwardKeep feedforward_keep(Arena *arena, FeedForwardShape shape, int N)
{
    Real *hidden = arena_take(arena, (size_t)N, (size_t)shape.hidden);
    return (FeedForwardKeep){hidden, arena_take(arena, (size_t)N, (size_t)shape.hidden)};
}

FeedForwardWork feedforward_work(Arena *arena, FeedForwardShape shape, int N)
{
    return (FeedForwardWork){arena_take(arena, (size_t)N, (size_t)shape.hidden)};
}

void feedforward_forward(Real *y, FeedForwardKeep keep, FeedForward p, const Real *x, int N,
                         FeedForwardShape shape)
{
    const int C = shape.width, F = shape.hidden;

    /* 1  hidden = x·W1 + b1 */
    linear_forward(keep.hidden, p.widen, x, N, C, F);

    /* 2  active = act(hidden) */
    OMP(parallel for if(shape.activation == ACTIVATION_GELU || worth_threads(N, F)))
    for (int i = 0; i < N; i++)
        activate(ROW(keep.active, i, F), ROW(keep.hidden, i, F), F, shape.activation);

    /* 3  y = active·W2 + b2 */
    linear_forward(y, p.narrow, keep.active, N, F, C);
}

void feedforward_backward(Real *dx, FeedForward dp, FeedForwardWork work, const Real *dy,
                          FeedForwardKeep keep, FeedForward p, const Real *x, int N,
                          FeedForwardShape shape)
{
    const int C = shape.width, F = shape.hidden;

    /* 3  y = active·W2 + b2 */
    linear_backward(work.dhidden, dp.narrow, dy, p.narrow, keep.active, N, F, C);

    /* 2  active = act(hidden) */
    OMP(parallel for if(shape.activation == ACTIVATION_GELU || worth_threads(N, F)))
    for (int i = 0; i < N; i++)
        activate_backward(ROW(work.dhidden, i, F), ROW(keep.hidden, i, F), F, shape.activation);

    /* 1  hidden = x·W1 + b1 */
    linear_backward(dx, dp.widen, work.dhidden, p.widen, x, N, C, F);
}
