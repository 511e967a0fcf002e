/* rotary.c: the cosines and sines come from tables, which are computed in double and rounded once.
 * Backward turns by the same angle the other way. */
#include "rotary.h"

#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"

Rotary rotary_new(Arena *arena, int T, int D)
{
    const size_t half = (size_t)D / 2;
    return (Rotary){.cosine = arena_take(arena, (size_t)T, half),
                    .sine = arena_take(arena, (size_t)T, half),
                    .size = D};
}

void rotary_fill(Rotary rotary, int T, double theta)
{
    const int half = rotary.size / 2;
    OMP(parallel for)
    for (int d = 0; d < half; d++) {
        const double speed = elementary_power(theta, -2.0 * d / rotary.size);
        for (int p = 0; p < T; p++) {
            ROW(rotary.cosine, p, half)[d] = (Real)elementary_cos(p * speed);
            ROW(rotary.sine, p, half)[d] = (Real)elementary_sin(p * speed);
        }
    }
}

/* Turns a head by the angles of a table's row or, if sign is −1, back. */
static void turn(Real *x, const Real *cosine, const Real *sine, int half, Real sign)
{
    for (int d = 0; d < half; d++) {
        const Real a = x[d], b = x[half + d], s = sign * sine[d];
        x[d] = a * cosine[d] - b * s;
        x[half + d] = b * cosine[d] + a * s;
    }
}

static void turn_rows(Real *x, Rotary rotary, int heads, int columns, const Batch *batch, Real sign)
{
    const int D = rotary.size, half = D / 2;
    OMP(parallel for if(worth_threads(batch->rows, heads * D)))
    for (int s = 0; s < batch->sequences; s++)
        for (int i = batch->start[s]; i < batch->start[s + 1]; i++) {
            const int position = batch_past(batch, s) + i - batch->start[s];
            for (int h = 0; h < heads; h++)
                turn(ROW(ROW(x, i, columns), h, D), ROW(rotary.cosine, position, half),
                     ROW(rotary.sine, position, half), half, sign);
        }
}

void rotary_forward(Real *x, Rotary rotary, int heads, int columns, const Batch *batch)
{
    turn_rows(x, rotary, heads, columns, batch, 1);
}

void rotary_backward(Real *dx, Rotary rotary, int heads, int columns, const Batch *batch)
{
    turn_rows(dx, rotary, heads, columns, batch, -1);
}
