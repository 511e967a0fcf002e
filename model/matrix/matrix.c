/* matrix.c: the product in tiles. The columns of y are cut into panels as wide as the kernel's
 * tile; the panel's part of b is packed once, a depth block at a time, and used for all tiles of
 * the panel; a is read where it lies. A panel (or, in a high matrix, a block of its rows) belongs
 * to one thread. */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* A packed panel is at most DEPTH_BLOCK x 32 floats, 32 KB: it stays in the first-level cache
 * while the rows of a pass by. ROW_BLOCK bounds the part of a that a panel walks through (half a
 * megabyte: the second-level cache), and gives threads something to share in a narrow y. */
enum { DEPTH_BLOCK = 256, ROW_BLOCK = 504 };

/* Below this many multiply-adds waking the other threads costs more than they bring. */
static const double WORTH_THREADS = 5e5;

/* The table of kernels, best first. */
static const Kernel *(*const KERNELS[])(void) = {kernel_avx512, kernel_avx2, kernel_portable};
enum { KERNEL_COUNT = sizeof KERNELS / sizeof *KERNELS };

/* The best kernel of the table that the machine has; of that name, unless it is NULL. */
static const Kernel *kernel_find(const char *name)
{
    for (int i = 0; i < KERNEL_COUNT; i++) {
        const Kernel *kernel = KERNELS[i]();
        if (kernel && (!name || !strcmp(name, kernel->name)) && kernel->supported())
            return kernel;
    }
    return NULL;
}

/* Chosen once, before main; constant from then on. */
static const Kernel *chosen;

__attribute__((constructor)) static void kernel_choose(void)
{
    const char *name = getenv("PULGA_KERNEL");
    chosen = kernel_find(name && *name ? name : NULL);
    if (!chosen)
        die("PULGA_KERNEL=%s is no kernel that this machine has; known: avx512, avx2, portable",
            name);
}

const char *matrix_kernel_name(void)
{
    return chosen->name;
}

/* packed[k][j] = b(k, j) for depth rows and all columns of b, each row filled up to the panel's
 * width with zeros. */
static void pack(Real *packed, int panel, Matrix b)
{
    if (b.cols < panel)
        memset(packed, 0, sizeof *packed * (size_t)b.rows * (size_t)panel);
    if (b.col_step == 1)
        for (int k = 0; k < b.rows; k++)
            memcpy(ROW(packed, k, panel), b.at + k * b.row_step,
                   sizeof *packed * (size_t)b.cols);
    else
        for (int j = 0; j < b.cols; j++) {
            const Real *column = b.at + j * b.col_step;
            for (int k = 0; k < b.rows; k++)
                packed[(size_t)k * (size_t)panel + (size_t)j] = column[k * b.row_step];
        }
}

/* A tile that is narrower than the kernel's, or whose columns are not contiguous, is computed
 * beside its place and carried over. */
static void tile_aside(Matrix y, Matrix a, const Real *packed, bool add)
{
    _Alignas(64) Real aside[TILE_MAX_ROWS * TILE_MAX_COLS];
    if (add)
        for (int i = 0; i < y.rows; i++)
            for (int j = 0; j < chosen->cols; j++)
                aside[i * chosen->cols + j] =
                    j < y.cols ? y.at[i * y.row_step + j * y.col_step] : 0;
    chosen->tile(aside, chosen->cols, a.at, a.row_step, a.col_step, packed, a.rows, a.cols, add);
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++)
            y.at[i * y.row_step + j * y.col_step] = aside[i * chosen->cols + j];
}

/* One panel of y, by one thread. */
static void panel_product(Matrix y, Matrix a, Matrix b, bool add)
{
    _Alignas(64) Real packed[DEPTH_BLOCK * TILE_MAX_COLS];
    /* Tiles of even height: 16 rows are 8 + 8, not 14 + 2. */
    const int tiles = (y.rows + chosen->rows - 1) / chosen->rows;
    const int height = tiles ? (y.rows + tiles - 1) / tiles : 0;

    int from = 0;
    do { /* once even where the depth is 0: y = 0 must be written */
        const int depth = a.cols - from < DEPTH_BLOCK ? a.cols - from : DEPTH_BLOCK;
        const Matrix a_block = matrix_cols(a, from, depth);
        pack(packed, chosen->cols, matrix_rows(b, from, depth));
        for (int i = 0; i < y.rows; i += height) {
            const int rows = y.rows - i < height ? y.rows - i : height;
            const Matrix y_tile = matrix_rows(y, i, rows), a_tile = matrix_rows(a_block, i, rows);
            if (y.cols == chosen->cols && y.col_step == 1)
                chosen->tile(y_tile.at, y.row_step, a_tile.at, a.row_step, a.col_step, packed,
                             rows, depth, add || from);
            else
                tile_aside(y_tile, a_tile, packed, add || from);
        }
        from += depth;
    } while (from < a.cols);
}

/* Part number `part` of the product: a panel of columns of a block of rows. */
static void part_product(Matrix y, Matrix a, Matrix b, bool add, int part, int blocks)
{
    const int i = part % blocks * ROW_BLOCK, j = part / blocks * chosen->cols;
    const int rows = y.rows - i < ROW_BLOCK ? y.rows - i : ROW_BLOCK;
    const int cols = y.cols - j < chosen->cols ? y.cols - j : chosen->cols;
    panel_product(matrix_cols(matrix_rows(y, i, rows), j, cols), matrix_rows(a, i, rows),
                  matrix_cols(b, j, cols), add);
}

static void product(Matrix y, Matrix a, Matrix b, bool add)
{
    if (y.col_step != 1 && y.row_step == 1) { /* (a·b)ᵀ = bᵀ·aᵀ: columns lie together */
        product(transposed(y), transposed(b), transposed(a), add);
        return;
    }
    const int panels = (y.cols + chosen->cols - 1) / chosen->cols;
    const int blocks = (y.rows + ROW_BLOCK - 1) / ROW_BLOCK;
    const double work = (double)y.rows * y.cols * a.cols;

    if (work < WORTH_THREADS) { /* even a region of one thread has its price: none is opened */
        for (int part = 0; part < panels * blocks; part++)
            part_product(y, a, b, add, part, blocks);
        return;
    }
    #pragma omp parallel for
    for (int part = 0; part < panels * blocks; part++)
        part_product(y, a, b, add, part, blocks);
}

void matmul(Matrix y, Matrix a, Matrix b)
{
    product(y, a, b, false);
}

void matmul_add(Matrix y, Matrix a, Matrix b)
{
    product(y, a, b, true);
}
