/* kernel.h: what a kernel is: the innermost loop of the product, for one family of processors. Only
 * for the files of this folder and of kernels/.
 *
 * Both operands are copied, a part at a time, before they meet in a tile. There are two reasons:
 * rows that are a multiple of 4 KB apart would compete for the same few places of the cache, and a
 * tile's loop is nothing but multiply-adds only if the compiler knows the distances. They are
 * copied as words. A word is a number or, in bfloat16, two numbers that follow each other in depth,
 * rounded; then the depth counts pairs. */
#ifndef PULGA_KERNEL_H
#define PULGA_KERNEL_H

#include "matrix.h"

/* The largest parts of the operands. A part of a, rows x depth, is half a megabyte: it stays in the
 * second-level cache while the panels of b pass by. A panel of b, depth x the width of a tile, is
 * 48 KB: it is also read from that cache, in sequence. */
enum { ROW_BLOCK = 336, DEPTH_BLOCK = 384, PART = ROW_BLOCK * DEPTH_BLOCK };

/* (row, depth) of the copy of a is at row * A_ROW_STEP + depth if it lies by rows, at row + depth *
 * A_COL_STEP if by columns: packs_by_rows() decides. Both steps are odd numbers of cache lines. If
 * the depth is small, there may be more rows, so that b is copied less often. */
enum { A_ROW_STEP = DEPTH_BLOCK + 16, A_COL_STEP = ROW_BLOCK, A_ROWS = 1024 };
enum { A_SIZE = A_ROWS * A_ROW_STEP };

enum { TILE_MAX_ROWS = 32, TILE_MAX_COLS = 32 };

/* y[rows][cols] (= or +=) a[rows][depth] · b[depth][cols], for a tile of one of the kernel's two
 * widths and of at most its rows. y's columns are contiguous; b is contiguous and begins on a cache
 * line. Each sum begins at 0 and runs through the depth in order, with multiply-adds that round
 * once, and y is added last: so all kernels for floats give the same bits. (The hardware of those
 * for bfloat16 rounds in ways of its own; AMX adds y first.) If not adding, y is not read. */
typedef void KernelTile(Real *y, ptrdiff_t y_step, const Real *a, bool a_by_rows, const Real *b,
                        int rows, int depth, bool add);

/* sums[rows][cols] += a[rows][depth] · b[depth][cols], for a tile of the full width, where the sums
 * are those of the depth before. a lies by rows, and b where it is. */
typedef void KernelGoOn(Real *sums, ptrdiff_t step, const Real *a, const Real *b, ptrdiff_t b_step,
                        int rows, int depth);

/* A tile like KernelTile's, from operands that are not copied. It may also have fewer columns than
 * the narrow one. Nothing beside its columns is read or written. */
typedef void KernelInPlace(int cols, Real *y, ptrdiff_t y_step, const Real *a, ptrdiff_t a_row,
                           ptrdiff_t a_col, const Real *b, ptrdiff_t b_step, int rows, int depth,
                           bool add);

typedef struct {
    const char *name;
    bool (*supported)(void);
    bool slow;                   /* it computes multiply-adds in software                       */
    int rows, cols, narrow_cols; /* of a tile, and of a narrow one                              */
    KernelTile *tile, *narrow;   /* narrow: one vector wide, for the columns that are left over */
    KernelGoOn *go_on;           /* NULL: products with few rows are like any others            */
    KernelInPlace *in_place;     /* NULL: small products are like any others                    */
    int part;                    /* words of a part of a, at most, if it lies by rows           */
    /* Tiles, except the last of a block, have a multiple of row_grain rows, and the depth is filled
     * up to a multiple of depth_grain words. Both are 1, except in the AMX kernel, whose hardware
     * multiplies blocks of fixed size and reads a by rows only. */
    int row_grain, depth_grain;
    void (*prepare)(void), (*release)(void); /* called before and after tiles, unless NULL */
    /* Only in a bfloat16 kernel: `count` words, each of a number of `even` and the one of `odd` in
     * the same place (0 if odd is NULL); and the words of `count` numbers that follow each other,
     * the last with a 0 if count is odd. */
    void (*pair_rows)(Real *words, const Real *even, const Real *odd, int count);
    void (*pair_along)(Real *words, const Real *numbers, int count);
} Kernel;

#define PRAGMA(text) _Pragma(#text)

/* UNROLLED: all loops over the tile are unrolled, since only then are the sums kept in registers.
 * UNROLLED_BY(4): one turn of the loop does the work of four. */
#ifdef __clang__
#define UNROLLED PRAGMA(clang loop unroll(full))
#define UNROLLED_BY(count) PRAGMA(clang loop unroll_count(count))
#else
#define UNROLLED PRAGMA(GCC unroll 16)
#define UNROLLED_BY(count) PRAGMA(GCC unroll count)
#endif

/* One function for each family; each returns its kernel, or NULL if it was not built. */
const Kernel *kernel_portable(void);
const Kernel *kernel_relaxed(void);
const Kernel *kernel_avx2(void);
const Kernel *kernel_avx512(void);
const Kernel *kernel_avx512_bf16(void);
const Kernel *kernel_amx(void);

/* Rounding to pairs, for both bfloat16 kernels. */
void bf16_pair_rows(Real *words, const Real *even, const Real *odd, int count);
void bf16_pair_along(Real *words, const Real *numbers, int count);

/* ---- Copying the operands, in pack.c ---- */

/* Numbers in a word. */
static inline int kernel_word_size(const Kernel *kernel)
{
    return kernel->pair_rows ? 2 : 1;
}

/* How many words `depth` numbers fill, up to whole grains. */
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

/* to (rows, cols) = from (rows, cols); faster if the rows of `to` are contiguous, and the rows or
 * the columns of `from`. */
void matrix_copy(Matrix to, Matrix from);

#endif
