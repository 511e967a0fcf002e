/* logits.c: a linear layer without bias whose matrix is stored transposed, one row a token. */
#include "logits.h"

#include "model/matrix/matrix.h"

void logits_forward(Real *logits, const Real *weight, const Real *x, int N, int C, int V)
{
    matmul(matrix(logits, N, V), matrix(x, N, C), transposed(matrix(weight, V, C)));
}

void logits_backward(Real *dx, Real *dweight, const Real *dlogits, const Real *weight,
                     const Real *x, int N, int C, int V)
{
    /* logits = x·Wᵀ   so  dx = dlogits·W  and  dW += dlogitsᵀ·x */
    matmul(matrix(dx, N, C), matrix(dlogits, N, V), matrix(weight, V, C));
    matmul_add(matrix(dweight, V, C), transposed(matrix(dlogits, N, V)), matrix(x, N, C));
}
