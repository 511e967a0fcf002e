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

typedef Real Four __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real)), may_alias));

/* to[j][i] = from[i][j], four by four. */
static void transpose_four(Real *to, ptrdiff_t to_step, const Real *from, ptrdiff_t from_step)
{
    const Four a = *(const Four *)from, b = *(const Four *)(from + from_step);
    const Four c = *(const Four *)(from + 2 * from_step), d = *(const Four *)(from + 3 * from_step);
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four ab_behind = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four cd_behind = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(Four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(Four *)(to + to_step) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(Four *)(to + 2 * to_step) = __builtin_shufflevector(ab_behind, cd_behind, 0, 1, 4, 5);
    *(Four *)(to + 3 * to_step) = __builtin_shufflevector(ab_behind, cd_behind, 2, 3, 6, 7);
}

/* packed[k][j] = b(k, j), where b's columns, not its rows, are contiguous. */
static void pack_transposed(Real *packed, int panel, Matrix b)
{
    const int fours = b.rows / 4 * 4;
    int j = 0;
    for (; j + 4 <= b.cols; j += 4)
        for (int k = 0; k < fours; k += 4)
            transpose_four(ROW(packed, k, panel) + j, panel, b.at + j * b.col_step + k,
                           b.col_step);
    for (int left = j; left < b.cols; left++)
        for (int k = 0; k < fours; k++)
            ROW(packed, k, panel)[left] = b.at[left * b.col_step + k];
    for (int k = fours; k < b.rows; k++)
        for (int each = 0; each < b.cols; each++)
            ROW(packed, k, panel)[each] = b.at[each * b.col_step + k];
}

/* packed[k][j] = b(k, j) for depth rows and all columns of b, each row filled up to the panel's
 * width with zeros. */
static void pack(Real *packed, int panel, Matrix b)
{
    if (b.cols < panel)
        memset(packed, 0, sizeof *packed * (size_t)b.rows * (size_t)panel);
    if (b.row_step == 1 && b.col_step != 1) {
        pack_transposed(packed, panel, b);
        return;
    }
    for (int k = 0; k < b.rows; k++) {
        const Real *row = b.at + k * b.row_step;
        if (b.col_step == 1 && b.cols == TILE_MAX_COLS) /* most often; a constant needs no call */
            memcpy(ROW(packed, k, panel), row, sizeof *packed * TILE_MAX_COLS);
        else
            for (int j = 0; j < b.cols; j++)
                ROW(packed, k, panel)[j] = row[j * b.col_step];
    }
}

/* to (rows, cols) = from (rows, cols) */
static void carry(Matrix to, Matrix from)
{
    for (int i = 0; i < to.rows; i++) {
        Real *into = to.at + i * to.row_step;
        const Real *of = from.at + i * from.row_step;
        if (to.col_step == 1 && from.col_step == 1)
            memcpy(into, of, sizeof *into * (size_t)to.cols);
        else
            for (int j = 0; j < to.cols; j++)
                into[j * to.col_step] = of[j * from.col_step];
    }
}

/* A tile that is narrower than the kernel's, or whose columns are not contiguous, is computed
 * beside its place and carried over. */
static void tile_aside(KernelTile *tile, int panel, Matrix y, Matrix a, const Real *packed,
                       bool add)
{
    _Alignas(64) Real aside[TILE_MAX_ROWS * TILE_MAX_COLS];
    const Matrix seen = matrix_cols(matrix(aside, y.rows, panel), 0, y.cols);
    if (add) {
        memset(aside, 0, sizeof aside);
        carry(seen, y);
    }
    tile(aside, panel, a.at, a.row_step, a.col_step, packed, a.rows, a.cols, add);
    carry(y, seen);
}

/* One panel of y, by one thread. */
static void panel_product(Matrix y, Matrix a, Matrix b, bool add)
{
    _Alignas(64) Real packed[DEPTH_BLOCK * TILE_MAX_COLS];
    const bool narrow = y.cols <= chosen->narrow_cols;
    const int panel = narrow ? chosen->narrow_cols : chosen->cols;
    KernelTile *tile = narrow ? chosen->narrow : chosen->tile;
    /* Tiles of even height: 16 rows are 8 + 8, not 14 + 2. */
    const int tiles = (y.rows + chosen->rows - 1) / chosen->rows;
    const int height = tiles ? (y.rows + tiles - 1) / tiles : 0;

    int from = 0;
    do { /* once even where the depth is 0: y = 0 must be written */
        const int depth = a.cols - from < DEPTH_BLOCK ? a.cols - from : DEPTH_BLOCK;
        const Matrix a_block = matrix_cols(a, from, depth);
        pack(packed, panel, matrix_rows(b, from, depth));
        for (int i = 0; i < y.rows; i += height) {
            const int rows = y.rows - i < height ? y.rows - i : height;
            const Matrix y_tile = matrix_rows(y, i, rows), a_tile = matrix_rows(a_block, i, rows);
            if (y.cols == panel && y.col_step == 1)
                tile(y_tile.at, y.row_step, a_tile.at, a.row_step, a.col_step, packed, rows,
                     depth, add || from);
            else
                tile_aside(tile, panel, y_tile, a_tile, packed, add || from);
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
