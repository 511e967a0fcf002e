/* torch_random.h: the random numbers that PyTorch draws on a CPU, from the same seed number: only
 * thus can a test begin where a printed table began. (Pulga's own are another kind: random.h.)
 *
 * Underneath is MT19937 (Matsumoto and Nishimura 1998). What is asked of it, in which order and
 * with how many bits, is PyTorch's own, and so is each function below. */
#ifndef PULGA_TORCH_RANDOM_H
#define PULGA_TORCH_RANDOM_H

#include "model/matrix/matrix.h"

enum { TORCH_STATE = 624 };

typedef struct {
    uint32_t word[TORCH_STATE];
    int next;        /* the word that is drawn next; TORCH_STATE: the state is to be renewed */
    bool has_second; /* normal numbers come in pairs: the second one waits for the next call */
    double second;
} TorchRandom;

TorchRandom torch_seed(uint32_t seed); /* torch.manual_seed(seed) */
uint32_t torch_word(TorchRandom *random);

/* torch.rand(count); 24 bits each. */
void torch_uniform(Real *out, size_t count, TorchRandom *random);

/* torch.randn(count): another method from 16 numbers on. */
void torch_normal(Real *out, size_t count, TorchRandom *random);

/* The start of nn.Linear: weight [in, out] lies as Pulga's do and may be a part of a larger one;
 * it is drawn row by row of its transpose, as PyTorch holds it. Then the bias (out), unless it is
 * NULL. */
void torch_linear(Matrix weight, Real *bias, TorchRandom *random);

/* What nn.Dropout(rate) multiplies with: 0 or 1/(1 − rate). */
void torch_dropout(Real *mask, size_t count, double rate, TorchRandom *random);

#endif
