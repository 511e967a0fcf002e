/* matrix.c: the product in tiles. The rows of y are cut into blocks, its columns into panels as
 * wide as the kernel's tile. A thread takes some panels of a block: it copies the block's part of a
 * once, and each panel's part of b, a depth block at a time, and multiplies them tile by tile.
 * Where a depth block begins depends only on the shapes, and no sum on which tile it is in: so the
 * bits are the same for any number of threads. */
#include "matrix.h"

#include <assert.h>

#include "base/parallel/threads.h"
#include "kernel.h"
#include "rounded.h"

/* Below this many multiply-adds waking the other threads costs more than it gains. */
static const double WORTH_THREADS = 5e5;

/* ---- The choice of a kernel ---- */

/* The kernels of each precision, best first. */
typedef const Kernel *KernelOf(void);
static KernelOf *const FLOATS[] = {kernel_avx512, kernel_avx2, kernel_relaxed, kernel_portable,
                                   NULL};
static KernelOf *const PAIRS[] = {kernel_amx, kernel_avx512_bf16, NULL};

/* The best kernel of a table that the machine has; the one of that name, unless it is NULL. */
static const Kernel *kernel_find(KernelOf *const *table, const char *name)
{
    for (; *table; table++) {
        const Kernel *kernel = (*table)();
        if (kernel && (!name || !strcmp(name, kernel->name)) && kernel->supported())
            return kernel;
    }
    return NULL;
}

/* The best kernel of a precision, or NULL; see matrix_choose(). */
static const Kernel *kernel_for(Precision precision)
{
    const char *forced = getenv("PULGA_KERNEL");
    if (forced && (!*forced || (precision == PRECISION_F32 && kernel_find(PAIRS, forced))))
        forced = NULL; /* it does not concern this precision */
    const Kernel *found = kernel_find(precision == PRECISION_F32 ? FLOATS : PAIRS, forced);
    if (!found && precision == PRECISION_F32)
        die("PULGA_KERNEL=%s is not a kernel of this machine; known are avx512, avx2 and portable, "
            "and for bf16 amx and avx512_bf16",
            forced);
    return found;
}

static const Kernel *_Atomic chosen;

bool matrix_choose(Precision precision)
{
    const Kernel *found = kernel_for(precision);
    if (found)
        chosen = found;
    return found;
}

/* The first product chooses, unless matrix_choose() has. Several threads may come here at once:
 * they choose the same. */
static const Kernel *chosen_kernel(void)
{
    if (!chosen)
        matrix_choose(PRECISION_F32);
    return chosen;
}

const char *matrix_kernel_name(void)
{
    return chosen_kernel()->name;
}

bool matrix_is_slow(void)
{
    return chosen_kernel()->slow;
}

/* ---- Where blocks and tiles begin ---- */

/* How many parts of at most `most` it takes to hold `count`. */
static int parts(int count, int most)
{
    return (count + most - 1) / most;
}

/* Where part number `part` of `all` begins. Parts are whole grains and as even as possible: 16 rows
 * are 8 + 8, not 14 + 2. */
static int cut(int count, int all, int part, int grain)
{
    const int even = (int)((long)count * part / all);
    return min_int(parts(even, grain) * grain, count);
}

/* Blocks of rows that y is cut into. If y has more rows than columns, each thread has its own, and
 * copies all of b; if not, each copies all of a. Grains make a block up to a grain larger than the
 * others, and its last tile is read as if it were whole. */
static int row_blocks(const Kernel *kernel, Matrix y, Matrix a, int threads)
{
    const int words = max_int(1, min_int(kernel_words(kernel, a.cols), DEPTH_BLOCK));
    const int most = packs_by_rows(kernel, a) ? min_int(A_ROWS, kernel->part / words) : ROW_BLOCK;
    const int blocks = parts(y.rows, most - 2 * (kernel->row_grain - 1));
    const int sharers = min_int(threads, parts(y.rows, kernel->rows));
    return y.rows > y.cols ? parts(blocks, sharers) * sharers : blocks;
}

/* ---- So few rows, as in generation, that every number of b is used about once ---- */

/* Nothing is faster then than reading b where it lies, in sequence. Plain loops, since they wait
 * for memory anyway. The dot product uses vectors by hand, since the compiler may not reorder its
 * sum, and so do rounded rows, whose numbers are unpacked a vector at a time. */

enum { SKINNY_ROWS = 4 }; /* with five, copying b is already faster */

static bool skinny_fits(Matrix y, Matrix b)
{
    return y.rows <= SKINNY_ROWS && y.col_step == 1 && (b.col_step == 1 || b.row_step == 1);
}

/* How many rows of b are read at once. One pass over y serves all of them, and several streams keep
 * the memory busy. Rounded rows are fewer, since each takes a register. */
enum { ROWS_AT_ONCE = 8, ROUNDED_AT_ONCE = 4, LINE_BYTES = 64 };

/* y[j] += a0·b0[j] + … + a7·b7[j], in this order */
static inline void add_numbers(Real *restrict y, const Real a[ROWS_AT_ONCE], const Real *b,
                               ptrdiff_t step, int count)
{
    for (int j = 0; j < count; j++) {
        Real sum = y[j];
        for (int k = 0; k < ROWS_AT_ONCE; k++)
            sum += a[k] * b[k * step + j];
        y[j] = sum;
    }
}

/* Adds eight rows of b to y, as add_numbers() does, and fetches the eight rows after them. */
static void add_rows(Real *restrict y, const Real a[ROWS_AT_ONCE], const Real *b, ptrdiff_t step,
                     int count)
{
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
        for (int k = ROWS_AT_ONCE; k < 2 * ROWS_AT_ONCE; k++)
            __builtin_prefetch(b + k * step + j);
        add_numbers(y + j, a, b + j, step, LANES);
    }
    add_numbers(y + j, a, b + j, step, count - j);
}

static void add_one(Real *restrict y, Real a, const Real *b, int count)
{
    for (int j = 0; j < count; j++)
        y[j] += a * b[j];
}

/* Each row of y += four rounded rows of b, each times its element of a. Fetches the next four rows
 * of b. */
__attribute__((always_inline)) static inline void add_rounded(Matrix y, Matrix a, Matrix b,
                                                              const int rows,
                                                              const Rounding rounding)
{
    const size_t size = rounded_block_size(rounding);
    const ptrdiff_t step = b.row_step / ROUNDED_GRAIN * (ptrdiff_t)size;
    const char *block = rounded_block(rounding, b.origin, rounded_place(b, 0));
    Real of_a[SKINNY_ROWS][ROUNDED_AT_ONCE]; /* of one row, they stay in registers */
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < ROUNDED_AT_ONCE; k++)
            of_a[i][k] = a.at[i * a.row_step + k * a.col_step];
    for (int j = 0; j < y.cols; j += ROUNDED_GRAIN, block += size) {
        for (int k = ROUNDED_AT_ONCE; k < 2 * ROUNDED_AT_ONCE; k++)
            for (size_t line = 0; line < size; line += LINE_BYTES)
                __builtin_prefetch(block + k * step + line);
        UNROLLED
        for (int n = 0; n < ROUNDED_GRAIN; n += VECTOR) {
            Vector of_b[ROUNDED_AT_ONCE];
            for (int k = 0; k < ROUNDED_AT_ONCE; k++)
                rounded_vector(&of_b[k], rounding, block + k * step, n);
            for (int i = 0; i < rows; i++) {
                Vector *place = (Vector *)(y.at + i * y.row_step + j + n), sum = *place;
                for (int k = 0; k < ROUNDED_AT_ONCE; k++)
                    sum += of_a[i][k] * of_b[k];
                *place = sum;
            }
        }
    }
}

/* One row, the usual case, has a loop for each rounding. */
static void by_rounded_rows(Matrix y, Matrix a, Matrix b)
{
    for (int k = 0; k < b.rows; k += ROUNDED_AT_ONCE) {
        const Matrix of_a = matrix_cols(a, k, ROUNDED_AT_ONCE);
        const Matrix of_b = matrix_rows(b, k, ROUNDED_AT_ONCE);
        if (y.rows == 1 && b.rounding == ROUNDING_BF16)
            add_rounded(y, of_a, of_b, 1, ROUNDING_BF16);
        else if (y.rows == 1)
            add_rounded(y, of_a, of_b, 1, ROUNDING_Q8);
        else
            add_rounded(y, of_a, of_b, y.rows, b.rounding);
    }
}

/* If b's rows are contiguous: adds each to y, times the element of a that belongs to it. */
static void by_rows(Matrix y, Matrix a, Matrix b)
{
    int k = 0;
    for (; k + ROWS_AT_ONCE <= b.rows; k += ROWS_AT_ONCE)
        for (int i = 0; i < y.rows; i++) {
            Real some[ROWS_AT_ONCE];
            for (int r = 0; r < ROWS_AT_ONCE; r++)
                some[r] = a.at[i * a.row_step + (k + r) * a.col_step];
            add_rows(y.at + i * y.row_step, some, b.at + k * b.row_step, b.row_step, y.cols);
        }
    for (; k < b.rows; k++)
        for (int i = 0; i < y.rows; i++)
            add_one(y.at + i * y.row_step, a.at[i * a.row_step + k * a.col_step],
                    b.at + k * b.row_step, y.cols);
}

/* Σ a[k]·b[k], in enough running sums to hide the latency of an addition; b is a column. */
static inline Real dot(const Real *a, ptrdiff_t a_step, Matrix b, Rounding rounding)
{
    enum { SUMS = ROUNDED_GRAIN / VECTOR, AT_ONCE = ROUNDED_GRAIN, AHEAD = 2048 };
    const size_t bytes = rounding ? rounded_block_size(rounding) : AT_ONCE * sizeof(Real);
    Vector sum[SUMS] = {{0}};
    Real rest = 0;
    int k = 0;
    if (a_step == 1)
        for (; k + AT_ONCE <= b.rows; k += AT_ONCE) {
            const char *of_b = rounding ? rounded_block(rounding, b.origin, rounded_place(b, k))
                                        : (const char *)(b.at + k);
            for (size_t line = 0; line < bytes; line += LINE_BYTES)
                __builtin_prefetch(of_b + AHEAD + line);
            UNROLLED
            for (int s = 0; s < SUMS; s++) {
                Vector vector;
                if (rounding)
                    rounded_vector(&vector, rounding, of_b, s * VECTOR);
                else
                    vector = *(const Vector *)(b.at + k + s * VECTOR);
                sum[s] += *(const Vector *)(a + k + s * VECTOR) * vector;
            }
        }
    for (; k < b.rows; k++)
        rest += a[k * a_step] * b.at[k];
    const Real *sums = (const Real *)sum;
    Real all[LANES];
    for (int l = 0; l < LANES; l++)
        all[l] = (sums[l] + sums[LANES + l]) + (sums[2 * LANES + l] + sums[3 * LANES + l]);
    return SUM_OF_LANES(all) + rest;
}

/* Each rounding has a loop of its own. */
static Real column_dot(const Real *a, ptrdiff_t a_step, Matrix b)
{
    return b.rounding == ROUNDING_BF16 ? dot(a, a_step, b, ROUNDING_BF16)
           : b.rounding == ROUNDING_Q8 ? dot(a, a_step, b, ROUNDING_Q8)
                                       : dot(a, a_step, b, ROUNDING_NONE);
}

/* If b's columns are contiguous: the dot product of each with each row of a. */
static void by_columns(Matrix y, Matrix a, Matrix b)
{
    for (int j = 0; j < y.cols; j++)
        for (int i = 0; i < y.rows; i++)
            y.at[i * y.row_step + j] +=
                column_dot(a.at + i * a.row_step, a.col_step, matrix_cols(b, j, 1));
}

/* Columns `from` to before `end` of y (= or +=) a·b. If b is rounded, both are multiples of
 * ROUNDED_GRAIN, or the last column's end. */
static void skinny_product(Matrix y, Matrix a, Matrix b, bool add, int from, int end)
{
    assert(!b.rounding || (a.col_step == 1 && b.rows % ROUNDED_GRAIN == 0));
    y = matrix_cols(y, from, end - from);
    b = matrix_cols(b, from, end - from);
    for (int i = 0; i < y.rows && !add; i++)
        memset(y.at + i * y.row_step, 0, sizeof *y.at * (size_t)y.cols);
    (b.col_step != 1 ? by_columns : b.rounding ? by_rounded_rows : by_rows)(y, a, b);
}

/* ---- The product ---- */

/* A tile that is narrower than the kernel's, or whose columns are not contiguous, is computed
 * aside and copied to its place. */
static void tile_aside(KernelTile *tile, int panel, Matrix y, const Real *a, bool a_by_rows,
                       const Real *b, int depth, bool add)
{
    _Alignas(64) Real aside[TILE_MAX_ROWS * TILE_MAX_COLS];
    const Matrix seen = matrix_cols(matrix(aside, y.rows, panel), 0, y.cols);
    if (add) {
        memset(aside, 0, sizeof aside);
        matrix_copy(seen, y);
    }
    tile(aside, panel, a, a_by_rows, b, y.rows, depth, add);
    matrix_copy(y, seen);
}

/* ---- So small that copying the operands takes longer than multiplying them ---- */

static bool small_fits(const Kernel *kernel, Matrix y, Matrix a, Matrix b)
{
    return kernel->in_place && a.cols <= DEPTH_BLOCK && y.col_step == 1 && !b.rounding &&
           !skinny_fits(y, b);
}

/* Only columns of b that do not lie side by side are copied. */
static void small_product(const Kernel *kernel, Matrix y, Matrix a, Matrix b, bool add)
{
    _Alignas(64) Real packed[DEPTH_BLOCK * TILE_MAX_COLS];
    const int height = parts(y.rows, parts(y.rows, kernel->rows));
    for (int j = 0, cols; j < y.cols; j += cols) {
        const int left = y.cols - j;
        cols = left < kernel->cols ? min_int(left, kernel->narrow_cols) : kernel->cols;
        Matrix of_b = matrix_cols(b, j, cols);
        if (of_b.col_step != 1) {
            const Matrix copy = matrix(packed, b.rows, cols);
            matrix_copy(copy, of_b);
            of_b = copy;
        }
        for (int i = 0; i < y.rows; i += height)
            kernel->in_place(cols, y.at + i * y.row_step + j, y.row_step, a.at + i * a.row_step,
                             a.row_step, a.col_step, of_b.at, of_b.row_step,
                             min_int(height, y.rows - i), a.cols, add);
    }
}

/* Prefetches some rows of m. */
static void fetch(Matrix m, int from, int end)
{
    enum { LINE = 64 / sizeof(Real), TO_READ = 0, SECOND_LEVEL = 2 };
    for (int i = from; i < end; i++)
        for (int j = 0; j < m.cols; j += LINE)
            __builtin_prefetch(m.at + i * m.row_step + j, TO_READ, SECOND_LEVEL);
}

/* Words of the panels that are packed at once. If the depth is at most SHALLOW, reading and writing
 * y takes longest: then it is walked row by row, as it lies, over many panels. Otherwise there is
 * one panel, which stays in the cache. */
enum { ROOM = DEPTH_BLOCK * TILE_MAX_COLS };

/* Some panels of a block of y, side by side. a is packed, b is their part, `next` is what will be
 * read after it; depth counts words. */
static void panels_product(const Kernel *kernel, Matrix y, const Real *a, bool a_by_rows, Matrix b,
                           Matrix next, int depth, bool add)
{
    _Alignas(64) Real packed[ROOM];
    const int tiles = parts(y.rows, kernel->rows), grain = kernel->row_grain;
    const int height = parts(parts(y.rows, tiles), grain) * grain;
    const Matrix lines = next.col_step == 1 ? next : transposed(next);
    const int share = parts(lines.rows, tiles);

    for (int i = 0, line = 0; i < y.rows; i += height, line += share) {
        const int rows = min_int(height, y.rows - i);
        const Real *a_part = a + i * (a_by_rows ? A_ROW_STEP : 1);
        if (!next.rounding)
            fetch(lines, line, min_int(line + share, lines.rows));
        for (int j = 0; j < y.cols; j += kernel->cols) {
            const int cols = min_int(kernel->cols, y.cols - j);
            const bool narrow = cols <= kernel->narrow_cols;
            const int panel = narrow ? kernel->narrow_cols : kernel->cols;
            KernelTile *tile = narrow ? kernel->narrow : kernel->tile;
            const Matrix part = matrix_cols(matrix_rows(y, i, rows), j, cols);
            Real *words = packed + depth * j;
            if (i == 0)
                pack_panel(words, kernel, panel, matrix_cols(b, j, cols));
            if (cols == panel && y.col_step == 1)
                tile(part.at, y.row_step, a_part, a_by_rows, words, rows, depth, add);
            else
                tile_aside(tile, panel, part, a_part, a_by_rows, words, depth, add);
        }
    }
}

/* With at most FEW_ROWS rows each number of b is used so few times that reading it takes longest.
 * So b is read in the order in which it lies, the faster way: if its rows are contiguous, CHUNK of
 * them side by side, without a copy. Their sums, at most FEW_SUMS, stay in the first-level
 * cache. */
enum { FEW_ROWS = 16, FEW_SUMS = 8192, CHUNK = 32 };

static bool few_fits(const Kernel *kernel, Matrix y, Matrix a)
{
    return y.rows <= FEW_ROWS && y.cols >= kernel->cols && y.col_step == 1 &&
           packs_by_rows(kernel, a) && kernel->go_on && !kernel->pair_rows;
}

/* Some columns of a block of y. a is packed. */
static void few_columns(const Kernel *kernel, Matrix y, const Real *a, Matrix b, bool add)
{
    _Alignas(64) Real sums[FEW_SUMS], packed[CHUNK * TILE_MAX_COLS];
    const int panel = kernel->cols, step = parts(y.cols, panel) * panel;
    const int height = parts(y.rows, parts(y.rows, kernel->rows));
    memset(sums, 0, sizeof *sums * (size_t)y.rows * (size_t)step);
    for (int k = 0; k < b.rows; k += CHUNK)
        for (int j = 0; j < y.cols; j += panel) {
            const Matrix part = matrix_cols(matrix_rows(b, k, min_int(CHUNK, b.rows - k)), j,
                                            min_int(panel, y.cols - j));
            const bool in_place = b.col_step == 1 && !b.rounding && part.cols == panel;
            if (!in_place)
                pack_panel(packed, kernel, panel, part);
            for (int i = 0; i < y.rows; i += height)
                kernel->go_on(ROW(sums, i, step) + j, step, ROW(a, i, A_ROW_STEP) + k,
                              in_place ? part.at : packed, in_place ? b.row_step : panel,
                              min_int(height, y.rows - i), part.rows);
        }
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++) {
            Real *at = ROW(y.at, i, y.row_step) + j;
            *at = add ? *at + ROW(sums, i, step)[j] : ROW(sums, i, step)[j];
        }
}

static void few_product(const Kernel *kernel, Matrix y, const Real *a, Matrix b, bool add)
{
    const int panel = kernel->cols;
    const int group = b.col_step == 1 ? FEW_SUMS / y.rows / panel * panel : panel;
    for (int j = 0; j < y.cols; j += group) {
        const int cols = min_int(group, y.cols - j);
        few_columns(kernel, matrix_cols(y, j, cols), a, matrix_cols(b, j, cols), add);
    }
}

/* Some panels of a block of y. */
static void block_product(const Kernel *kernel, Matrix y, Matrix a, Matrix b, bool add)
{
    _Alignas(64) Real packed[A_SIZE];
    const int in_word = kernel_word_size(kernel), words = parts(a.cols, in_word);
    const int depths = words ? parts(words, DEPTH_BLOCK) : 1;
    int from = 0, part = 0;
    if (kernel->prepare)
        kernel->prepare();
    do { /* at least once: with a depth of 0, y = 0 must be written */
        const int depth = min_int(cut(words, depths, ++part, 1) * in_word, a.cols) - from;
        const Matrix b_block = matrix_rows(b, from, depth);
        const bool by_rows = pack_rows(packed, kernel, matrix_cols(a, from, depth));
        const int deep = kernel_words(kernel, depth), panel = kernel->cols;
        const int group = deep > SHALLOW ? panel : ROOM / max_int(deep, 1) / panel * panel;
        if (few_fits(kernel, y, a))
            few_product(kernel, y, packed, b_block, add || from);
        else
            for (int j = 0; j < y.cols; j += group) {
                const int cols = min_int(group, y.cols - j), next = j + cols;
                panels_product(
                    kernel, matrix_cols(y, j, cols), packed, by_rows, matrix_cols(b_block, j, cols),
                    matrix_cols(b_block, next, min_int(group, y.cols - next)), deep, add || from);
            }
        from += depth;
    } while (from < a.cols);
    if (kernel->release)
        kernel->release();
}

/* The column where a panel begins; a block of rounded numbers is not divided. */
static int skinny_cut(const Kernel *kernel, Matrix y, long panel)
{
    const long column = panel * kernel->cols;
    return column < y.cols ? (int)(column / ROUNDED_GRAIN * ROUNDED_GRAIN) : y.cols;
}

/* The panels from number `from` to before `end`, counted through one block after another. */
static void share_product(const Kernel *kernel, Matrix y, Matrix a, Matrix b, bool add, int blocks,
                          long from, long end)
{
    if (skinny_fits(y, b) && !kernel->pair_rows) { /* bfloat16 is rounded in the copy */
        skinny_product(y, a, b, add, skinny_cut(kernel, y, from), skinny_cut(kernel, y, end));
        return;
    }
    const int panels = parts(y.cols, kernel->cols);
    while (from < end) {
        const int block = (int)(from / panels), panel = (int)(from % panels);
        const int i = cut(y.rows, blocks, block, kernel->row_grain), j = panel * kernel->cols;
        const int rows = cut(y.rows, blocks, block + 1, kernel->row_grain) - i;
        const int count = end - from < panels - panel ? (int)(end - from) : panels - panel;
        const int cols = min_int(count * kernel->cols, y.cols - j);
        block_product(kernel, matrix_cols(matrix_rows(y, i, rows), j, cols),
                      matrix_rows(a, i, rows), matrix_cols(b, j, cols), add);
        from += count;
    }
}

static void product(const Kernel *kernel, Matrix y, Matrix a, Matrix b, bool add)
{
    if (y.col_step != 1 && y.row_step == 1) { /* (a·b)ᵀ = bᵀ·aᵀ has contiguous columns */
        assert(!b.rounding);
        product(kernel, transposed(y), transposed(b), transposed(a), add);
        return;
    }
    if (y.rows == 0 || y.cols == 0)
        return;
    const long panels = parts(y.cols, kernel->cols);
    const double work = (double)y.rows * y.cols * a.cols;

    if (work < WORTH_THREADS && small_fits(kernel, y, a, b)) {
        small_product(kernel, y, a, b, add);
        return;
    }
    if (work < WORTH_THREADS) { /* even a parallel region of one thread has a cost */
        const int blocks = row_blocks(kernel, y, a, 1);
        share_product(kernel, y, a, b, add, blocks, 0, panels * blocks);
        return;
    }
    OMP(parallel)
    {
        const int threads = thread_count(), thread = thread_index();
        const int blocks = row_blocks(kernel, y, a, threads);
        const long all = panels * blocks;
        share_product(kernel, y, a, b, add, blocks, all * thread / threads,
                      all * (thread + 1) / threads);
    }
}

void matmul(Matrix y, Matrix a, Matrix b)
{
    product(chosen_kernel(), y, a, b, false);
}

void matmul_add(Matrix y, Matrix a, Matrix b)
{
    product(chosen_kernel(), y, a, b, true);
}

/* A strip of columns at a time, from above down to its square on the diagonal; what is above that
 * is mirrored. */
void matmul_symmetric(Matrix y, Matrix a, Matrix b)
{
    enum { STRIP = 64 };
    const Kernel *kernel = chosen_kernel();
    if (kernel->pair_rows)
        kernel = kernel_for(PRECISION_F32);
    for (int j = 0; j < y.cols; j += STRIP) {
        const int cols = min_int(STRIP, y.cols - j);
        const Matrix strip = matrix_cols(y, j, cols), across = matrix_rows(y, j, cols);
        product(kernel, matrix_rows(strip, 0, j + cols), matrix_rows(a, 0, j + cols),
                matrix_cols(b, j, cols), false);
        matrix_copy(matrix_cols(across, 0, j), transposed(matrix_rows(strip, 0, j)));
    }
}
