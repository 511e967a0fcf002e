/* pack.h: copying the operands of a product to where a kernel wants them; for the files of this
 * folder alone. See kernel.h for the order and for what a word is. */
#ifndef PULGA_PACK_H
#define PULGA_PACK_H

#include "kernel.h"

/* Numbers in a word. */
static inline int kernel_word_numbers(const Kernel *kernel)
{
    return kernel->pair_rows ? 2 : 1;
}

/* Words that a depth of so many numbers takes, with those that fill it up to whole grains. */
static inline int kernel_words(const Kernel *kernel, int depth)
{
    const int in_word = kernel_word_numbers(kernel), grain = kernel->depth_grain;
    const int words = (depth + in_word - 1) / in_word;
    return grain ? (words + grain - 1) / grain * grain : words;
}

/* A part of a (rows, depth) to `words`, its depth filled up with zeros; returns whether it is there
 * by rows. */
bool pack_rows(Real *words, const Kernel *kernel, Matrix a);

/* A part of b (depth, cols) to words[depth][panel], both filled up with zeros. */
void pack_panel(Real *words, const Kernel *kernel, int panel, Matrix b);

/* to (rows, cols) = from (rows, cols) */
void matrix_copy(Matrix to, Matrix from);

#endif
