/* tile.h: the body of every kernel, written once with the compiler's vectors. A kernel file
 * defines these and includes this file, which makes of it the functions `tile` and `narrow`,
 * the same with a single vector across, and KERNEL, the members of a Kernel behind its name:
 *
 *     TILE_TARGET     the function attribute that allows the instructions, or nothing
 *     VECTOR_BYTES    the width of a vector register
 *     TILE_ROWS       rows of a tile
 *     TILE_VECTORS    vectors across a tile: its columns are TILE_VECTORS * lanes
 *     MULTIPLY_ADD    sum += a · b of a vector of sums, a word of a and a vector of b; unless it
 *                     is defined, that of numbers
 *
 * TILE_ROWS * TILE_VECTORS sums, TILE_VECTORS vectors of b and one broadcast of a must fit in the
 * registers; more sums hide more of the multiply-add's latency, so each kernel takes what fits. */
#include "kernel.h"

typedef Real Vector __attribute__((vector_size(VECTOR_BYTES)));
/* The same where only a number's alignment is known. */
typedef Real Unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(Real)), may_alias));

enum { LANES = VECTOR_BYTES / sizeof(Real) };
#define KERNEL                                                                                     \
    .rows = TILE_ROWS, .cols = TILE_VECTORS * LANES, .narrow_cols = LANES, .supported = supported, \
    .tile = tile, .narrow = narrow

#ifndef MULTIPLY_ADD
#define MULTIPLY_ADD(sum, a, b) ((sum) += (a) * (b))
#endif

/* All loops over the tile must be unrolled: only then do the sums live in registers. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

TILE_TARGET __attribute__((always_inline)) static inline void tile_of(
    const int rows, const int vectors, const bool by_rows, Real *y, ptrdiff_t y_step, const Real *a,
    const Real *b, int depth, bool add)
{
    const ptrdiff_t a_row = by_rows ? A_ROW_STEP : 1, a_col = by_rows ? 1 : A_COL_STEP;
    /* y comes last: by then it has come from wherever it was. */
    Vector sum[TILE_ROWS][TILE_VECTORS];
    UNROLLED
    for (int i = 0; i < rows; i++)
        UNROLLED
    for (int v = 0; v < vectors; v++) {
        __builtin_prefetch(y + i * y_step + v * LANES, 1);
        sum[i][v] = (Vector){0};
    }

    for (int k = 0; k < depth; k++, a += a_col, b += vectors * LANES) {
        const Vector *b_row = (const Vector *)b;
        UNROLLED
        for (int i = 0; i < rows; i++)
            UNROLLED
        for (int v = 0; v < vectors; v++)
            MULTIPLY_ADD(sum[i][v], a[i * a_row], b_row[v]);
    }

    UNROLLED
    for (int i = 0; i < rows; i++)
        UNROLLED
    for (int v = 0; v < vectors; v++) {
        Unaligned *place = (Unaligned *)(y + i * y_step + v * LANES);
        *place = (Unaligned)(add ? (Vector)*place + sum[i][v] : sum[i][v]);
    }
}

/* A constant number of rows for each case: the compiler makes a loop without branches of each. */
#define TILE_CASE(count, vectors)                                                                 \
    case count:                                                                                   \
        if (count > TILE_ROWS)                                                                    \
            break;                                                                                \
        if (by_rows)                                                                              \
            tile_of(count <= TILE_ROWS ? count : 1, vectors, true, y, y_step, a, b, depth, add);  \
        else                                                                                      \
            tile_of(count <= TILE_ROWS ? count : 1, vectors, false, y, y_step, a, b, depth, add); \
        break;
#define TILE_CASES(vectors) \
    TILE_CASE(1, vectors)   \
    TILE_CASE(2, vectors)   \
    TILE_CASE(3, vectors)   \
    TILE_CASE(4, vectors)   \
    TILE_CASE(5, vectors)   \
    TILE_CASE(6, vectors)   \
    TILE_CASE(7, vectors)   \
    TILE_CASE(8, vectors)   \
    TILE_CASE(9, vectors)   \
    TILE_CASE(10, vectors)  \
    TILE_CASE(11, vectors) TILE_CASE(12, vectors) TILE_CASE(13, vectors) TILE_CASE(14, vectors)

TILE_TARGET static void tile(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows, const Real *b,
                             int rows, int depth, bool add)
{
    switch (rows) {
        TILE_CASES(TILE_VECTORS)
    }
}

TILE_TARGET static void narrow(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows,
                               const Real *b, int rows, int depth, bool add)
{
    switch (rows) {
        TILE_CASES(1)
    }
}
