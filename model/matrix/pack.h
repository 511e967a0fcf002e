/* pack.h: copying the operands of a product to where a kernel wants them; for the files of this
 * folder alone. See kernel.h for the order and for what a word is. */
#ifndef PULGA_PACK_H
#define PULGA_PACK_H

#include "kernel.h"

/* Numbers in a word. */
static inline int kernel_pairs(const Kernel *kernel)
{
    return kernel->pair_rows ? 2 : 1;
}

/* Words that a depth of so many numbers takes, those that fill it up with them. */
static inline int kernel_words(const Kernel *kernel, int depth)
{
    const int words = (depth + kernel_pairs(kernel) - 1) / kernel_pairs(kernel);
    return kernel->grain ? (words + kernel->grain - 1) / kernel->grain * kernel->grain : words;
}

/* A part of a (rows, depth) to `words`; returns whether it is there by rows. */
bool pack_rows(Real *words, const Kernel *kernel, Matrix a);

/* A part of b (depth, cols) to words[depth][panel], each row filled up with zeros. */
void pack_panel(Real *words, const Kernel *kernel, int panel, Matrix b);

/* to (rows, cols) = from (rows, cols) */
void matrix_copy(Matrix to, Matrix from);

#endif
