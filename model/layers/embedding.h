/* embedding.h: y = wte[token] + wpe[position], for each of N rows; with rotary positions (see
 * rotary.h) there is no wpe, and y = wte[token].
 *
 * wpe is learned or, after the 2017 paper, fixed: C^-1/2 · PE, where PE(p, 2i) is the sine of
 * p/10000^(2i/C) and PE(p, 2i + 1) its cosine. (The paper adds PE to √C · wte; here all is
 * divided by √C, so that the head can share wte.) */
#ifndef PULGA_EMBEDDING_H
#define PULGA_EMBEDDING_H

#include "model/matrix/matrix.h"
#include "model/shape/batch.h"

typedef struct {
    Real *wte;         /* [V, C] a row for each token    */
    Real *wpe;         /* [T, C] a row for each position, or NULL */
    Rounding rounding; /* of wte: see linear.h */
} Embedding;

void embedding_forward(Real *y, Embedding p, const Batch *batch, int C);
void embedding_backward(Embedding dp, const Real *dy, const Batch *batch, int C, bool learned);

/* The fixed positions: wpe (T, C). */
void embedding_sinusoids(Real *wpe, int T, int C);

#endif
