/* tile.h: the body of every kernel, written once with the compiler's vector types. A kernel file
 * defines the macros below and includes this file, which then defines the functions `tile`,
 * `narrow` (one vector wide), `go_on` and `in_place`, and KERNEL, the members of a Kernel after its
 * name:
 *
 *     TILE_TARGET     the function attribute that allows the instructions, or nothing
 *     VECTOR_BYTES    the width of a vector register
 *     TILE_ROWS       rows of a tile
 *     TILE_VECTORS    vectors across a tile: its columns are TILE_VECTORS * lanes
 *     MULTIPLY_ADD    sum += a · b, rounded once, for a vector of sums, a word of a and a vector
 *                     of b
 *     LOAD_FIRST      vector = the first `count` numbers of a place, then 0s; reads no others
 *     STORE_FIRST     writes the first `count` numbers of a vector, and no others. Without these
 *                     two, they are copied through memory
 *     TILE_UNROLLED   steps of the depth in one turn of the loop; 1 if not defined. More gain if a
 *                     step has so few multiply-adds that counting it and waiting for a take time
 *
 * TILE_ROWS * TILE_VECTORS sums, TILE_VECTORS vectors of b and one broadcast of a must fit in the
 * registers; more sums hide more of the multiply-add's latency, so each kernel uses what fits. */
#include "model/matrix/kernel.h"

#ifndef TILE_UNROLLED
#define TILE_UNROLLED 1
#endif
#ifndef LOAD_FIRST
#define LOAD_FIRST(vector, at, count) \
    ((vector) = (Vector){0}, memcpy(&(vector), at, sizeof(Real) * (size_t)(count)))
#define STORE_FIRST(at, vector, count) memcpy(at, &(vector), sizeof(Real) * (size_t)(count))
#endif

typedef Real Vector __attribute__((vector_size(VECTOR_BYTES)));
/* Such a vector, aligned only as a number is. */
typedef Real Unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(Real)), may_alias));

enum { LANES = VECTOR_BYTES / sizeof(Real), LINE = 64 / sizeof(Real) };
#define KERNEL                                                                                     \
    .supported = supported, .rows = TILE_ROWS, .cols = TILE_VECTORS * LANES, .narrow_cols = LANES, \
    .tile = tile, .narrow = narrow, .go_on = go_on, .in_place = in_place, .part = PART,            \
    .row_grain = 1, .depth_grain = 1

/* The vector at a place: all of it, or only its first numbers. */
TILE_TARGET __attribute__((always_inline)) static inline void load(Vector *vector, const Real *at,
                                                                   const bool whole, int count)
{
    if (whole)
        *vector = (Vector) * (const Unaligned *)at;
    else
        LOAD_FIRST(*vector, at, count);
}

/* A step of the depth. */
TILE_TARGET __attribute__((always_inline)) static inline void add_step(
    Vector sum[TILE_ROWS][TILE_VECTORS], const int rows, const int vectors, const bool whole,
    int cols, const Real *a, const ptrdiff_t a_row, const Real *b)
{
    Vector of_b[TILE_VECTORS];
    UNROLLED
    for (int v = 0; v < vectors; v++)
        load(&of_b[v], b + v * LANES, whole, cols);
    UNROLLED
    for (int i = 0; i < rows; i++)
        UNROLLED
    for (int v = 0; v < vectors; v++)
        MULTIPLY_ADD(sum[i][v], a[i * a_row], of_b[v]);
}

/* Sums begin at 0 or, if going on, at what y is. If its vectors are not whole, there is one, and
 * only its first `cols` numbers count. */
TILE_TARGET __attribute__((always_inline)) static inline void tile_of(
    const int rows, const int vectors, const bool whole, int cols, const bool going_on, Real *y,
    ptrdiff_t y_step, const Real *a, const ptrdiff_t a_row, const ptrdiff_t a_col, const Real *b,
    ptrdiff_t b_step, int depth, bool add)
{
    /* y is added last: by then the prefetch has brought it. */
    Vector sum[TILE_ROWS][TILE_VECTORS];
    UNROLLED
    for (int i = 0; i < rows; i++)
        UNROLLED
    for (int v = 0; v < vectors; v++) {
        const Real *place = y + i * y_step + v * LANES;
        __builtin_prefetch(place, 1);
        sum[i][v] = going_on ? (Vector) * (const Unaligned *)place : (Vector){0};
    }

    if (TILE_UNROLLED > 1 && !going_on)
        for (; depth >= LINE; depth -= LINE) {
            if (a_col == 1) { /* the same numbers of the tile below */
                UNROLLED
                for (int i = 0; i < rows; i++)
                    __builtin_prefetch(a + (i + rows) * a_row);
            }
            UNROLLED_BY(TILE_UNROLLED)
            for (int k = 0; k < LINE; k++, a += a_col, b += b_step)
                add_step(sum, rows, vectors, whole, cols, a, a_row, b);
        }
    for (; depth > 0; depth--, a += a_col, b += b_step)
        add_step(sum, rows, vectors, whole, cols, a, a_row, b);

    UNROLLED
    for (int i = 0; i < rows; i++)
        UNROLLED
    for (int v = 0; v < vectors; v++) {
        Real *place = y + i * y_step + v * LANES;
        Vector out = sum[i][v], was;
        if (add) {
            load(&was, place, whole, cols);
            out = was + out;
        }
        if (whole)
            *(Unaligned *)place = (Unaligned)out;
        else
            STORE_FIRST(place, out, cols);
    }
}

/* One case for each number of rows, so that tile_of() is inlined with a constant and unrolled. All
 * cases are compiled in every kernel, also those beyond TILE_ROWS, which are never reached: there
 * the count passed on is 1, since code for more rows than the array of sums has would draw
 * warnings, and take time to compile. */
#define TILE_CASE(count, ...)                                     \
    case count:                                                   \
        if (count <= TILE_ROWS)                                   \
            tile_of(count <= TILE_ROWS ? count : 1, __VA_ARGS__); \
        break;
#define TILE_CASES(...)        \
    TILE_CASE(1, __VA_ARGS__)  \
    TILE_CASE(2, __VA_ARGS__)  \
    TILE_CASE(3, __VA_ARGS__)  \
    TILE_CASE(4, __VA_ARGS__)  \
    TILE_CASE(5, __VA_ARGS__)  \
    TILE_CASE(6, __VA_ARGS__)  \
    TILE_CASE(7, __VA_ARGS__)  \
    TILE_CASE(8, __VA_ARGS__)  \
    TILE_CASE(9, __VA_ARGS__)  \
    TILE_CASE(10, __VA_ARGS__) \
    TILE_CASE(11, __VA_ARGS__) \
    TILE_CASE(12, __VA_ARGS__) TILE_CASE(13, __VA_ARGS__) TILE_CASE(14, __VA_ARGS__)
#define TILE_OF(vectors, whole, cols, a_row, a_col, b_step)                                        \
    switch (rows) {                                                                                \
        TILE_CASES(vectors, whole, cols, false, y, y_step, a, a_row, a_col, b, b_step, depth, add) \
    }

TILE_TARGET static void tile(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows, const Real *b,
                             int rows, int depth, bool add)
{
    if (by_rows)
        TILE_OF(TILE_VECTORS, true, 0, A_ROW_STEP, 1, TILE_VECTORS * LANES)
    else
        TILE_OF(TILE_VECTORS, true, 0, 1, A_COL_STEP, TILE_VECTORS * LANES)
}

TILE_TARGET static void narrow(Real *y, ptrdiff_t y_step, const Real *a, bool by_rows,
                               const Real *b, int rows, int depth, bool add)
{
    if (by_rows)
        TILE_OF(1, true, 0, A_ROW_STEP, 1, LANES)
    else
        TILE_OF(1, true, 0, 1, A_COL_STEP, LANES)
}

TILE_TARGET static void go_on(Real *sums, ptrdiff_t step, const Real *a, const Real *b,
                              ptrdiff_t b_step, int rows, int depth)
{
    switch (rows) {
        TILE_CASES(TILE_VECTORS, true, 0, true, sums, step, a, A_ROW_STEP, 1, b, b_step, depth,
                   false)
    }
}

TILE_TARGET static void in_place(int cols, Real *y, ptrdiff_t y_step, const Real *a,
                                 ptrdiff_t a_row, ptrdiff_t a_col, const Real *b, ptrdiff_t b_step,
                                 int rows, int depth, bool add)
{
    if (cols == TILE_VECTORS * LANES)
        TILE_OF(TILE_VECTORS, true, 0, a_row, a_col, b_step)
    else if (cols == LANES)
        TILE_OF(1, true, 0, a_row, a_col, b_step)
    else
        TILE_OF(1, false, cols, a_row, a_col, b_step)
}
