/* torch_random.h: the random numbers that PyTorch draws on a CPU from the same seed, so that a test
 * can start with the weights of a published table. (Pulga itself uses base/numbers/random.h.)
 *
 * The generator is MT19937 (Matsumoto and Nishimura 1998). Each function below uses as many bits,
 * in the same order, as PyTorch's. */
#ifndef PULGA_TORCH_RANDOM_H
#define PULGA_TORCH_RANDOM_H

#include "model/matrix/matrix.h"

enum { TORCH_STATE = 624 };

typedef struct {
    uint32_t word[TORCH_STATE];
    int next; /* the word that is drawn next; TORCH_STATE: renew the state */
} TorchRandom;

TorchRandom torch_seed(uint32_t seed); /* torch.manual_seed(seed) */

/* torch.rand(count); 24 bits each. */
void torch_uniform(Real *out, size_t count, TorchRandom *random);

/* torch.randn(count), a multiple of 16: for others PyTorch uses other methods. */
void torch_normal(Real *out, size_t count, TorchRandom *random);

/* The starting values of nn.Linear: weight [in, out], which may be a part of a larger matrix, is
 * drawn row by row of its transpose, as PyTorch stores it; then the bias (out), unless it is
 * NULL. */
void torch_linear(Matrix weight, Real *bias, TorchRandom *random);

#endif
