/* rotary.h: rotary positions turn each query and key by an angle that grows with its position, so
 * that a score q·k depends on how far apart the two are. Number d and number d + D/2 of a head, at
 * position p, are a pair:
 *
 *     a = p·theta^(−2d/D)
 *     (x_d, x_d+D/2)  becomes  (x_d·cos a − x_d+D/2·sin a,  x_d+D/2·cos a + x_d·sin a) */
#ifndef PULGA_ROTARY_H
#define PULGA_ROTARY_H

#include "model/shape/batch.h"

/* What all layers of a model share. */
typedef struct {
    Real *cosine, *sine; /* (T, D/2) (T, D/2) */
    int size;            /* D; 0: no rotary positions */
} Rotary;

/* Tables for a context of T; rotary_fill() computes them. */
Rotary rotary_new(Arena *arena, int T, int D);
void rotary_fill(Rotary rotary, int T, double theta);

/* Turns the first `heads` heads of each row of x (N, columns), in place; backward turns their
 * gradients back. */
void rotary_forward(Real *x, Rotary rotary, int heads, int columns, const Batch *batch);
void rotary_backward(Real *dx, Rotary rotary, int heads, int columns, const Batch *batch);

#endif
