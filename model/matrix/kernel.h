/* kernel.h: what a kernel is; for the files of this folder alone.
 *
 * Both operands are copied, a part at a time, before they meet in a tile: read where they lie, rows
 * that are a multiple of 4 KB apart would fight for the same few places of the cache, and only with
 * distances that the compiler knows is a tile's loop nothing but multiply-adds. They are copied as
 * words. A word is a number, or, where the precision is bfloat16, two of them that follow each
 * other in depth, rounded: then the depth counts pairs. */
#ifndef PULGA_KERNEL_H
#define PULGA_KERNEL_H

#include "matrix.h"

/* The largest part of an operand: of a, rows x depth, half a megabyte: it stays in the second-level
 * cache while the panels of b pass by; of b, depth x the width of a tile, 48 KB, which comes from
 * there too, in a row. */
enum { ROW_BLOCK = 336, DEPTH_BLOCK = 384 };

/* a is copied in the order in which it lies: (row, depth) is at row * A_ROW_STEP + depth where its
 * rows lie together, at row + depth * A_COL_STEP where its columns do. Both steps are odd numbers
 * of cache lines. */
enum { A_ROW_STEP = DEPTH_BLOCK + 16, A_COL_STEP = ROW_BLOCK };
enum { A_NUMBERS = ROW_BLOCK * A_ROW_STEP };

enum { TILE_MAX_ROWS = 32, TILE_MAX_COLS = 32 };

/* y[rows][cols] (= or +=) a[rows][depth] · b[depth][cols], for a tile of one of the kernel's two
 * widths and at most as high as its rows. y's columns are contiguous; b is contiguous, on a cache
 * line. Each sum runs through the depth in order, one fused multiply-add each where the hardware
 * has them; y comes in before them or behind, as suits the kernel. When not adding, y is not
 * read. */
typedef void KernelTile(Real *y, ptrdiff_t y_step, const Real *a, bool a_by_rows, const Real *b,
                        int rows, int depth, bool add);

typedef struct {
    const char *name;
    int rows, cols, narrow_cols; /* of a tile, and of a narrow one */
    bool (*supported)(void);
    KernelTile *tile, *narrow; /* narrow: a single vector across, for what is left of the columns */
    /* Of a bfloat16 kernel alone: count words, each of a number of `even` and the one of `odd` in
     * the same place (0 where odd is NULL); and the words of `count` numbers that follow each
     * other, the last with a 0 where count is odd. */
    void (*pair_rows)(Real *words, const Real *even, const Real *odd, int count);
    void (*pair_along)(Real *words, const Real *numbers, int count);
    /* Of the AMX kernel alone: a is always by rows, and the depth a multiple of so many words; to
     * be called before and after the tiles. */
    int depth_grain;
    void (*prepare)(void), (*release)(void);
} Kernel;

/* One function a processor family; each returns its kernel, or NULL where it was not built. */
const Kernel *kernel_portable(void);
const Kernel *kernel_avx2(void);
const Kernel *kernel_avx512(void);
const Kernel *kernel_avx512_bf16(void);
const Kernel *kernel_amx(void);

/* Rounding to pairs, the same for both bfloat16 kernels. */
void bf16_pair_rows(Real *words, const Real *even, const Real *odd, int count);
void bf16_pair_along(Real *words, const Real *numbers, int count);

#endif
