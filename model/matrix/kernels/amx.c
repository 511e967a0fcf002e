/* amx.c: bfloat16 on AMX, whose registers are tiles of 16 rows of 16 words: one instruction
 * multiplies two of them, 16 x 32 numbers by 32 x 16, and adds to 16 x 16 sums. Four tiles of sums,
 * two by two, use each loaded tile of a and of b twice. */
#include "model/matrix/kernel.h"

#if defined __x86_64__ && __has_include(<asm/unistd.h>)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TARGET __attribute__((target("amx-tile,amx-bf16,avx512f")))
enum { SIDE = 16, ROWS = 2 * SIDE, COLS = 2 * SIDE }; /* in words */

/* Names of tile registers; the instructions need literal numbers. */
#define SUMS_00 0
#define SUMS_01 1
#define SUMS_10 2
#define SUMS_11 3
#define A_UPPER 4
#define A_LOWER 5
#define B_LEFT 6
#define B_RIGHT 7

/* A compiler may not know that tile instructions read memory: this makes it finish all writes. */
static inline void written(const void *memory)
{
    __asm__ volatile("" ::"r"(memory) : "memory");
}

/* All eight tiles are whole: 16 rows of 64 bytes. */
TARGET static void prepare(void)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int t = 0; t < 8; t++)
        shape.row_bytes[t] = 64, shape.rows[t] = SIDE;
    written(&shape);
    _tile_loadconfig(&shape);
}

TARGET static void release(void)
{
    _tile_release();
}

/* 32 rows and one or two tiles of columns of y, set or added to. */
TARGET static inline void tile_of(Real *y, ptrdiff_t y_step, const Real *a, const Real *b,
                                  bool wide, int depth, bool add)
{
    const size_t y_bytes = sizeof *y * (size_t)y_step, a_bytes = sizeof *a * A_ROW_STEP;
    const int panel = wide ? COLS : SIDE;
    const size_t b_bytes = sizeof *b * (size_t)panel;
    written(y);
    _tile_zero(SUMS_00);
    _tile_zero(SUMS_01);
    _tile_zero(SUMS_10);
    _tile_zero(SUMS_11);
    if (add) {
        _tile_loadd(SUMS_00, y, y_bytes);
        _tile_loadd(SUMS_10, y + SIDE * y_step, y_bytes);
    }
    if (add && wide) {
        _tile_loadd(SUMS_01, y + SIDE, y_bytes);
        _tile_loadd(SUMS_11, y + SIDE * y_step + SIDE, y_bytes);
    }
    for (int k = 0; k < depth; k += SIDE) {
        _tile_loadd(A_UPPER, a + k, a_bytes);
        _tile_loadd(A_LOWER, a + k + SIDE * A_ROW_STEP, a_bytes);
        _tile_loadd(B_LEFT, b + k * panel, b_bytes);
        _tile_dpbf16ps(SUMS_00, A_UPPER, B_LEFT);
        _tile_dpbf16ps(SUMS_10, A_LOWER, B_LEFT);
        if (wide) {
            _tile_loadd(B_RIGHT, b + k * panel + SIDE, b_bytes);
            _tile_dpbf16ps(SUMS_01, A_UPPER, B_RIGHT);
            _tile_dpbf16ps(SUMS_11, A_LOWER, B_RIGHT);
        }
    }
    _tile_stored(SUMS_00, y, y_bytes);
    _tile_stored(SUMS_10, y + SIDE * y_step, y_bytes);
    if (wide) {
        _tile_stored(SUMS_01, y + SIDE, y_bytes);
        _tile_stored(SUMS_11, y + SIDE * y_step + SIDE, y_bytes);
    }
}

/* Fewer than 32 rows are computed in a copy of y; the rows of a below them give sums that are
 * thrown away. */
TARGET static inline void tile_any(Real *y, ptrdiff_t y_step, const Real *a, const Real *b,
                                   bool wide, int rows, int depth, bool add)
{
    if (rows == ROWS) {
        tile_of(y, y_step, a, b, wide, depth, add);
        return;
    }
    _Alignas(64) Real aside[ROWS * COLS] = {0};
    const size_t row = sizeof *y * (wide ? COLS : SIDE);
    for (int i = 0; add && i < rows; i++)
        memcpy(aside + i * COLS, y + i * y_step, row);
    tile_of(aside, COLS, a, b, wide, depth, add);
    for (int i = 0; i < rows; i++)
        memcpy(y + i * y_step, aside + i * COLS, row);
}

static void tile(Real *y, ptrdiff_t y_step, const Real *a, bool a_by_rows, const Real *b, int rows,
                 int depth, bool add)
{
    (void)a_by_rows; /* always true */
    tile_any(y, y_step, a, b, true, rows, depth, add);
}

static void narrow(Real *y, ptrdiff_t y_step, const Real *a, bool a_by_rows, const Real *b,
                   int rows, int depth, bool add)
{
    (void)a_by_rows;
    tile_any(y, y_step, a, b, false, rows, depth, add);
}

/* Linux gives a process the tile registers only on request; this makes the request. */
static bool supported(void)
{
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 }; /* leaf 7, edx */
    enum { ASK_FOR_STATE = 0x1023, TILE_DATA = 18 }; /* arch_prctl's */
    unsigned a, b, c, d;
    return kernel_avx512_bf16()->supported() && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (d & AMX_BF16) && (d & AMX_TILE) && !syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA);
}

const Kernel *kernel_amx(void)
{
    static const Kernel kernel = {.name = "amx",
                                  .rows = ROWS,
                                  .cols = COLS,
                                  .narrow_cols = SIDE,
                                  .supported = supported,
                                  .tile = tile,
                                  .narrow = narrow,
                                  .part = 2 * PART, /* its processors have caches of 2 MB */
                                  .pair_rows = bf16_pair_rows,
                                  .pair_along = bf16_pair_along,
                                  .row_grain = ROWS,
                                  .depth_grain = SIDE,
                                  .prepare = prepare,
                                  .release = release};
    return &kernel;
}
#else
const Kernel *kernel_amx(void)
{
    return NULL;
}
#endif
