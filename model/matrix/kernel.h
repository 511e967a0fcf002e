/* kernel.h: what a kernel is; for the files of this folder alone. */
#ifndef PULGA_KERNEL_H
#define PULGA_KERNEL_H

#include "matrix.h"

/* y[rows][cols] (= or +=) a[rows][depth] · b[depth][cols], for a tile of one of the kernel's two
 * widths and at most as high as its rows. y's columns are contiguous; a has any steps; b is packed:
 * contiguous, on a cache line. Each sum starts from y (or 0) and runs through the depth in order,
 * one fused multiply-add each where the hardware has them. When not adding, y is not read. */
typedef void KernelTile(Real *y, ptrdiff_t y_step, const Real *a, ptrdiff_t a_row,
                        ptrdiff_t a_col, const Real *b, int rows, int depth, bool add);

enum { TILE_MAX_ROWS = 14, TILE_MAX_COLS = 32 };

typedef struct {
    const char *name;
    int rows, cols, narrow_cols;
    bool (*supported)(void);
    KernelTile *tile, *narrow; /* narrow: a single vector across, for what is left of the columns */
} Kernel;

/* One function a processor family; each returns its kernel, or NULL where it was not built. */
const Kernel *kernel_portable(void);
const Kernel *kernel_avx2(void);
const Kernel *kernel_avx512(void);

#endif
