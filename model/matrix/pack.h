/* pack.h: copies the operands of a product into the order that a kernel needs. kernel.h describes
 * the order and what a word is. Only for the files of this folder. */
#ifndef PULGA_PACK_H
#define PULGA_PACK_H

#include "kernel.h"

/* Numbers in a word. */
static inline int kernel_word_size(const Kernel *kernel)
{
    return kernel->pair_rows ? 2 : 1;
}

/* Words of a depth of so many numbers, filled up to whole grains. */
static inline int kernel_words(const Kernel *kernel, int depth)
{
    const int in_word = kernel_word_size(kernel), grain = kernel->depth_grain;
    const int words = (depth + in_word - 1) / in_word;
    return (words + grain - 1) / grain * grain;
}

/* Whether the copy of a lies by rows. A tile reads that faster, since a line of the cache then
 * holds a row's next 16 numbers. With a depth of at most SHALLOW, turning a costs more than that
 * gains. */
enum { SHALLOW = 16 };
static inline bool packs_by_rows(const Kernel *kernel, Matrix a)
{
    return a.row_step != 1 || kernel->depth_grain > 1 || (!kernel->pair_rows && a.cols > SHALLOW);
}

/* Copies a part of a (rows, depth) to `words`, its depth filled up with zeros. Returns whether the
 * copy lies by rows. */
bool pack_rows(Real *words, const Kernel *kernel, Matrix a);

/* Copies a part of b (depth, cols) to words[depth][panel], both filled up with zeros. */
void pack_panel(Real *words, const Kernel *kernel, int panel, Matrix b);

/* to (rows, cols) = from (rows, cols) */
void matrix_copy(Matrix to, Matrix from);

#endif
