/* pack.c: rows are copied as they lie, with the next ones prefetched; columns are transposed in
 * blocks of 4 x 8 with vector shuffles; bfloat16 rounds two numbers into a word on the way. */
#include "kernel.h"

#include "rounded.h"

/* ---- Transposing ---- */

enum { TURN_ROWS = 4, TURN_COLS = 8 }; /* of a block as it is written */
enum { TURN_DEPTH = 64 };              /* rows that are written before those below them */
typedef Real Half __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
typedef Real Whole __attribute__((vector_size(8 * sizeof(Real)), aligned(sizeof(Real)), may_alias));

/* Four numbers of a row, and of another row. */
static void two_halves(Whole *to, const Real *at, ptrdiff_t other)
{
    *to = __builtin_shufflevector(*(const Half *)at, *(const Half *)(at + other), 0, 1, 2, 3, 4, 5,
                                  6, 7);
}

/* Writes four numbers, and four that begin at `second`. */
static void put_halves(Real *to, int second, Whole both)
{
    if (second == 4) {
        *(Whole *)to = both;
        return;
    }
    *(Half *)to = __builtin_shufflevector(both, both, 0, 1, 2, 3);
    *(Half *)(to + second) = __builtin_shufflevector(both, both, 4, 5, 6, 7);
}

/* to[k][j] = from[j][k] for 4 rows k of 8 columns j: four, and four that begin at `second`, which
 * is 4 or less. No number crosses to the other half of a vector, which would cost more. */
static void turn_block(Real *to, ptrdiff_t to_step, const Real *from, ptrdiff_t step, int second)
{
    Whole a, b, c, d;
    two_halves(&a, from, second * step);
    two_halves(&b, from + step, second * step);
    two_halves(&c, from + 2 * step, second * step);
    two_halves(&d, from + 3 * step, second * step);
    const Whole ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const Whole cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const Whole ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const Whole cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    put_halves(to, second, __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13));
    put_halves(to + to_step, second, __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15));
    put_halves(to + 2 * to_step, second,
               __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13));
    put_halves(to + 3 * to_step, second,
               __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15));
}

/* to[k][j] = from[j][k] for k < rows and j < cols, in blocks. The last block begins early enough to
 * be whole, and writes some numbers a second time. Some rows come before those below them: all of
 * them would fill the first-level cache before the second block beside the first is written. */
static void transpose(Real *to, ptrdiff_t to_step, const Real *from, ptrdiff_t from_step, int rows,
                      int cols)
{
    const int second = min_int(cols - TURN_COLS / 2, TURN_COLS / 2);
    if (rows < TURN_ROWS || second < 0) {
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < cols; j++)
                to[k * to_step + j] = from[j * from_step + k];
        return;
    }
    for (int first = 0; first < rows; first += TURN_DEPTH)
        for (int next = 0; next < cols; next += TURN_COLS) {
            const int j = max_int(min_int(next, cols - TURN_COLS), 0);
            for (int k = first; k < min_int(first + TURN_DEPTH, rows); k += TURN_ROWS) {
                const int i = min_int(k, rows - TURN_ROWS);
                turn_block(to + i * to_step + j, to_step, from + j * from_step + i, from_step,
                           second);
            }
        }
}

/* ---- Copying ---- */

/* Copies contiguous numbers, and prefetches those at `next`, which come soon. */
static void copy_row(Real *to, const Real *from, const Real *next, int count)
{
    enum { LINE = 64 / sizeof(Real) };
    int j = 0;
    for (; j + LINE <= count; j += LINE) {
        __builtin_prefetch(next + j);
        memcpy(to + j, from + j, sizeof *to * LINE);
    }
    for (; j < count; j++)
        to[j] = from[j];
}

void matrix_copy(Matrix to, Matrix from)
{
    enum { AHEAD = 3 }; /* rows: copying one takes less time than fetching the next */
    if (to.col_step == 1 && from.row_step == 1 && from.col_step != 1) {
        transpose(to.at, to.row_step, from.at, from.col_step, to.rows, to.cols);
        return;
    }
    for (int i = 0; i < to.rows; i++) {
        Real *into = to.at + i * to.row_step;
        const Real *of = from.at + i * from.row_step;
        if (to.col_step == 1 && from.col_step == 1)
            copy_row(into, of, of + AHEAD * from.row_step, to.cols);
        else
            for (int j = 0; j < to.cols; j++)
                into[j * to.col_step] = of[j * from.col_step];
    }
}

/* ---- Operands as they are ---- */

static bool pack_rows_plain(Real *words, const Kernel *kernel, Matrix a)
{
    const bool by_rows = packs_by_rows(kernel, a);
    if (by_rows)
        matrix_copy(matrix_spaced(words, a.rows, a.cols, A_ROW_STEP), a);
    else
        matrix_copy(matrix_spaced(words, a.cols, a.rows, A_COL_STEP), transposed(a));
    return by_rows;
}

static void pack_panel_plain(Real *words, int panel, Matrix b)
{
    if (b.col_step == 1 &&
        b.cols == TILE_MAX_COLS) /* most often; a memcpy of constant size is inlined */
        for (int k = 0; k < b.rows; k++)
            memcpy(ROW(words, k, panel), b.at + k * b.row_step, sizeof *words * TILE_MAX_COLS);
    else
        matrix_copy(matrix_spaced(words, b.rows, b.cols, panel), b);
}

/* ---- Operands in pairs ---- */

/* Row i of m as contiguous numbers: where it lies, or copied into `room`. */
static const Real *row_together(Real *room, Matrix m, int i)
{
    if (m.col_step == 1)
        return m.at + i * m.row_step;
    matrix_copy(matrix(room, 1, m.cols), matrix_rows(m, i, 1));
    return room;
}

/* words[k] = the pairs of rows 2k and 2k + 1 of m. */
static void pair_all_rows(Real *words, ptrdiff_t step, const Kernel *kernel, Matrix m)
{
    Real even[ROW_BLOCK], odd[ROW_BLOCK];
    for (int k = 0; k < m.rows; k += 2)
        kernel->pair_rows(words + k / 2 * step, row_together(even, m, k),
                          k + 1 < m.rows ? row_together(odd, m, k + 1) : NULL, m.cols);
}

/* words[i] = the pairs along row i of m. */
static void pair_all_along(Real *words, ptrdiff_t step, const Kernel *kernel, Matrix m)
{
    Real room[2 * DEPTH_BLOCK];
    for (int i = 0; i < m.rows; i++)
        kernel->pair_along(words + i * step, row_together(room, m, i), m.cols);
}

/* By rows, although a's columns are contiguous: transposes some rows at a time. */
static void pair_turned(Real *words, const Kernel *kernel, Matrix a)
{
    enum { AT_ONCE = 32 }; /* rows: no more words than a panel of b has */
    _Alignas(64) Real turned[DEPTH_BLOCK * AT_ONCE];
    for (int i = 0; i < a.rows; i += AT_ONCE) {
        const int rows = min_int(a.rows - i, AT_ONCE);
        pair_all_rows(turned, AT_ONCE, kernel, transposed(matrix_rows(a, i, rows)));
        transpose(words + i * A_ROW_STEP, A_ROW_STEP, turned, AT_ONCE, rows, (a.cols + 1) / 2);
    }
}

static bool pack_rows_paired(Real *words, const Kernel *kernel, Matrix a)
{
    if (a.row_step == 1 && kernel->depth_grain == 1) {
        pair_all_rows(words, A_COL_STEP, kernel, transposed(a));
        return false;
    }
    if (a.row_step == 1)
        pair_turned(words, kernel, a);
    else
        pair_all_along(words, A_ROW_STEP, kernel, a);
    const int used = (a.cols + 1) / 2, empty = kernel_words(kernel, a.cols) - used;
    for (int i = 0; i < a.rows && empty; i++)
        memset(words + i * A_ROW_STEP + used, 0, sizeof *words * (size_t)empty);
    return true;
}

static void pack_panel_paired(Real *words, const Kernel *kernel, int panel, Matrix b)
{
    if (b.row_step == 1 && b.col_step != 1) {
        _Alignas(64) Real along[TILE_MAX_COLS * DEPTH_BLOCK];
        pair_all_along(along, DEPTH_BLOCK, kernel, transposed(b));
        transpose(words, panel, along, DEPTH_BLOCK, (b.rows + 1) / 2, b.cols);
    } else {
        pair_all_rows(words, panel, kernel, b);
    }
}

bool pack_rows(Real *words, const Kernel *kernel, Matrix a)
{
    return kernel->pair_rows ? pack_rows_paired(words, kernel, a)
                             : pack_rows_plain(words, kernel, a);
}

void pack_panel(Real *words, const Kernel *kernel, int panel, Matrix b)
{
    const int deep = kernel_words(kernel, b.rows);
    Real room[2 * DEPTH_BLOCK * TILE_MAX_COLS];
    if (b.rounding)
        b = rounded_copy(room, b);
    if (b.cols < panel || deep * kernel_word_size(kernel) > b.rows)
        memset(words, 0, sizeof *words * (size_t)deep * (size_t)panel);
    if (kernel->pair_rows)
        pack_panel_paired(words, kernel, panel, b);
    else
        pack_panel_plain(words, panel, b);
}
