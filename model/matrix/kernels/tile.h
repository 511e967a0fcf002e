/* tile.h: the body of every kernel, written once with the compiler's vector types. A kernel file
 * defines the macros below and includes this file, which then defines the functions `tile` and
 * `narrow` (one vector wide) and KERNEL, the members of a Kernel after its name:
 *
 *     TILE_TARGET     the function attribute that allows the instructions, or nothing
 *     VECTOR_BYTES    the width of a vector register
 *     TILE_ROWS       rows of a tile
 *     TILE_VECTORS    vectors across a tile: its columns are TILE_VECTORS * lanes
 *     MULTIPLY_ADD    sum += a · b, rounded once, for a vector of sums, a word of a and a vector
 *                     of b
 *
 * TILE_ROWS * TILE_VECTORS sums, TILE_VECTORS vectors of b and one broadcast of a must fit in the
 * registers; more sums hide more of the multiply-add's latency, so each kernel uses what fits. */
#include "model/matrix/kernel.h"

typedef Real Vector __attribute__((vector_size(VECTOR_BYTES)));
/* Such a vector, aligned only as a number is. */
typedef Real Unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(Real)), may_alias));

enum { LANES = VECTOR_BYTES / sizeof(Real) };
#define KERNEL                                                                                     \
    .supported = supported, .rows = TILE_ROWS, .cols = TILE_VECTORS * LANES, .narrow_cols = LANES, \
    .tile = tile, .narrow = narrow, .part = PART, .row_grain = 1, .depth_grain = 1

TILE_TARGET __attribute__((always_inline)) static inline void tile_of(
    const int rows, const int vectors, const bool by_rows, Real *y, ptrdiff_t y_step, const Real *a,
    const Real *b, int depth, bool add)
{
    const ptrdiff_t a_row = by_rows ? A_ROW_STEP : 1, a_col = by_rows ? 1 : A_COL_STEP;
    /* y is added last: by then the prefetch has brought it. */
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

/* One case for each number of rows, so that tile_of() is inlined with a constant and unrolled. All
 * cases are compiled in every kernel, also those beyond TILE_ROWS, which are never reached: there
 * the count passed on is 1, since code for more rows than the array of sums has would draw
 * warnings, and take time to compile. */
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
