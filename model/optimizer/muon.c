/* muon.c: a matrix that has more rows than columns is iterated as its transpose, a view, so that
 * the squares have the smaller side. */
#include "muon.h"

#include <math.h>

#include "model/matrix/matrix.h"

enum { ROUNDS = 5 };
static const double MU = 0.9, FACTOR = 0.2;

/* The matrix or its transpose, whichever has no more rows than columns. */
static Matrix wide(Real *at, int rows, int cols)
{
    const Matrix m = matrix(at, rows, cols);
    return rows > cols ? transposed(m) : m;
}

/* x *= factor */
static void scale_by(Real *x, int rows, int cols, double factor)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            ROW(x, i, cols)[j] *= (Real)factor;
}

/* From a = X·Xᵀ (n, n) for the X in x, which is not normalised: divides x by |X|, a by |X|². The
 * trace of a is |X|². A matrix of zeros, such as the gradient of queries that have only one key to
 * choose from, stays as it is; so does one so small that a float does not hold 1/|X|². */
static void normalise(Real *x, int rows, int cols, Real *a, int n)
{
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += ROW(a, i, n)[i];
    if (trace < 1e-30)
        return;
    const double factor = 1 / sqrt(trace);
    scale_by(x, rows, cols, factor);
    scale_by(a, n, n, factor * factor);
}

size_t muon_room(int rows, int cols)
{
    const size_t n = (size_t)min_int(rows, cols);
    return 2 * ((size_t)rows * (size_t)cols + n * n);
}

Real *muon_orthogonal(Real *room, int rows, int cols)
{
    const double identity = 3.4445, linear = -4.7750, square = 2.0315;
    const int n = min_int(rows, cols);
    Real *x = room, *y = ROW(x, rows, cols), *a = ROW(y, rows, cols), *b = ROW(a, n, n);
    for (int round = 0; round < ROUNDS; round++) {
        const Matrix X = wide(x, rows, cols), A = matrix(a, n, n), B = matrix(b, n, n);
        /* A = X·Xᵀ */
        matmul(A, X, transposed(X));
        if (!round)
            normalise(x, rows, cols, a, n);
        /* B = 3.4445·1 − 4.7750·A + 2.0315·A² */
        matmul(B, A, A);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                ROW(b, i, n)[j] = (Real)linear * ROW(a, i, n)[j] + (Real)square * ROW(b, i, n)[j];
            ROW(b, i, n)[i] += (Real)identity;
        }
        /* X = B·X */
        matmul(wide(y, rows, cols), B, X);
        Real *const other = x;
        x = y;
        y = other;
    }
    return x;
}

void muon_update(Matrix w, Real *m, Real *g, Real *room, double scale, double rate, double decay)
{
    const int rows = w.rows, cols = w.cols;
    const Real mu = (Real)MU, s = (Real)scale;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            const ptrdiff_t at = i * w.row_step + j;
            const Real gradient = s * g[at];
            m[at] = mu * m[at] + (1 - mu) * gradient;
            ROW(room, i, cols)[j] = mu * m[at] + (1 - mu) * gradient;
            g[at] = 0;
        }

    const Real *o = muon_orthogonal(room, rows, cols);
    const Real keep = (Real)(1 - rate * decay);
    const Real step = (Real)(rate * FACTOR * sqrt(rows > cols ? rows : cols));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            Real *const at = &w.at[i * w.row_step + j];
            *at = keep * *at - step * ROW(o, i, cols)[j];
        }
}
