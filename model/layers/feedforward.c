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

/* silu(h) = h · share */
static inline Real silu_share(Real h)
{
    return 1 / (1 + real_exp(-h));
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
        break;
    case ACTIVATION_SILU:
        for (int j = 0; j < count; j++)
            active[j] = hidden[j] * silu_share(hidden[j]);
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
        break;
    case ACTIVATION_SILU: /* h · s, with s' = s · (1 − s) */
        for (int j = 0; j < count; j++) {
            const Real h = hidden[j], s = silu_share(h);
            d[j] *= s + h * s * (1 - s);
        }
    }
}

/* active = act(g)∘u */
static void gate(Real *active, const Real *g, const Real *u, int count, Activation activation)
{
    activate(active, g, count, activation);
    for (int j = 0; j < count; j++)
        active[j] *= u[j];
}

/* du = dactive∘act(g)   and   dg = dactive∘u∘act'(g) */
static void gate_backward(Real *dg, Real *du, const Real *dactive, const Real *g, const Real *u,
                          int count, Activation activation)
{
    activate(du, g, count, activation);
    for (int j = 0; j < count; j++) {
        du[j] *= dactive[j];
        dg[j] = dactive[j] * u[j];
    }
    activate_backward(dg, g, count, activation);
}

FeedForward feedforward_new(Arena *arena, FeedForwardWeights p, FeedForwardWeights dp,
                            Activation activation, bool gated, Real *dhidden, int N)
{
    FeedForward layer = {
        .p = p, .dp = dp, .activation = activation, .gated = gated, .dhidden = dhidden};
    layer.keep.hidden = arena_take(arena, (size_t)N, (size_t)p.widen.out);
    layer.keep.active = arena_take(arena, (size_t)N, (size_t)p.narrow.in);
    return layer;
}

void feedforward_forward(Real *y, const FeedForward *layer, const Real *x, int N)
{
    const int F = layer->p.narrow.in;
    const Activation activation = layer->activation;
    Real *hidden = layer->keep.hidden, *active = layer->keep.active;

    /* 1  hidden = x·W1 + b1 */
    linear_forward(hidden, layer->p.widen, x, N);

    /* 2  active = act(hidden), or act(g)∘u */
    OMP(parallel for if(activation != ACTIVATION_RELU || worth_threads(N, F)))
    for (int i = 0; i < N; i++)
        if (layer->gated)
            gate(ROW(active, i, F), ROW(hidden, i, 2 * F), ROW(hidden, i, 2 * F) + F, F,
                 activation);
        else
            activate(ROW(active, i, F), ROW(hidden, i, F), F, activation);

    /* 3  y = active·W2 + b2 */
    linear_forward(y, layer->p.narrow, active, N);
}

void feedforward_backward(Real *dx, const FeedForward *layer, const Real *dy, const Real *x, int N)
{
    const int F = layer->p.narrow.in;
    const Activation activation = layer->activation;
    Real *hidden = layer->keep.hidden, *active = layer->keep.active, *dhidden = layer->dhidden;
    Real *dactive = layer->gated ? ROW(dhidden, N, 2 * F) : dhidden;

    /* 3  y = active·W2 + b2 */
    linear_backward(dactive, layer->dp.narrow, dy, layer->p.narrow, active, N);

    /* 2  active = act(hidden), or act(g)∘u */
    OMP(parallel for if(activation != ACTIVATION_RELU || worth_threads(N, F)))
    for (int i = 0; i < N; i++)
        if (layer->gated)
            gate_backward(ROW(dhidden, i, 2 * F), ROW(dhidden, i, 2 * F) + F, ROW(dactive, i, F),
                          ROW(hidden, i, 2 * F), ROW(hidden, i, 2 * F) + F, F, activation);
        else
            activate_backward(ROW(dhidden, i, F), ROW(hidden, i, F), F, activation);

    /* 1  hidden = x·W1 + b1 */
    linear_backward(dx, layer->dp.widen, dhidden, layer->p.widen, x, N);
}
