/* linear.h: y = x·W + b, for each of N rows. */
#ifndef PULGA_LINEAR_H
#define PULGA_LINEAR_H

#include "base/base.h"

typedef struct {
    Real *weight; /* [in, out] */
    Real *bias;   /* (out)     */
    int in, out;
} Linear;

/* y (N, out), x (N, in). Backward sets dx and adds to dp, as every layer does. */
void linear_forward(Real *y, Linear p, const Real *x, int N);
void linear_backward(Real *dx, Linear dp, const Real *dy, Linear p, const Real *x, int N);

#endif
