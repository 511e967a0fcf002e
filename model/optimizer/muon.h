/* muon.h: Muon (Jordan and others, 2024), an optimiser for one matrix (rows, cols):
 *
 *     m = μ·m + (1 − μ)·g             u = μ·m + (1 − μ)·g
 *     w = w − rate · (decay·w + 0.2·√max(rows, cols) · O(u))
 *
 * with μ = 0.9. O(u) has the singular vectors of u, but singular values that are all about 1, so
 * that a step changes every direction alike; AdamW's steps change a few directions most. The factor
 * gives the elements of a step the size that they have in AdamW's, so both take the same rate.
 *
 * O(u) comes from five rounds of a Newton-Schulz iteration, which are only matrix products:
 *
 *     X = u/|u|        five times:  A = X·Xᵀ,  X = 3.4445·X + (−4.7750·A + 2.0315·A²)·X
 *
 * It leaves singular values between 0.68 and 1.21. Those below 0.0015·|u| stay smaller, since a
 * round multiplies a small one by 3.4. */
#ifndef PULGA_MUON_H
#define PULGA_MUON_H

#include "model/matrix/view.h"

/* The numbers that it takes to work in: two matrices, and two squares of the smaller side. */
size_t muon_room(int rows, int cols);

/* One step with the gradients scale · g; sets g to 0 for the next one. All three are (rows, cols)
 * with the steps of w. */
void muon_update(Matrix w, Real *m, Real *g, Real *room, double scale, double rate, double decay);

/* O(u), where the room begins with u (rows, cols). It lies somewhere in the room. */
Real *muon_orthogonal(Real *room, int rows, int cols);

#endif
