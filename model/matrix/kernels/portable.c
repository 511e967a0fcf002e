/* portable.c: for any processor: vectors of 16 bytes, which all common ones have, and 10 registers
 * for sums. If floats have no fused multiply-add, software.h does the work. */

#include "model/matrix/kernel.h"
#include "software.h"

#define TILE_TARGET
#define VECTOR_BYTES 16
#define TILE_ROWS 5
#define TILE_VECTORS 2
#define MULTIPLY_ADD(sum, a, b) ((sum) = multiply_add(a, b, sum))

/* For the float build and the double build alike. */
typedef Real Sums __attribute__((vector_size(VECTOR_BYTES)));

/* Through arrays, since compilers make a vector instruction of a loop over these, but not of one
 * over the elements of vectors. */
static inline Sums multiply_add(Real a, Sums b, Sums sum)
{
    Real of_b[VECTOR_BYTES / sizeof(Real)], of_sum[VECTOR_BYTES / sizeof(Real)];
    memcpy(of_b, &b, sizeof of_b);
    memcpy(of_sum, &sum, sizeof of_sum);
    for (size_t lane = 0; lane < sizeof of_b / sizeof *of_b; lane++)
        of_sum[lane] = _Generic(a, float : fmaf, double : fma)(a, of_b[lane], of_sum[lane]);
    memcpy(&sum, of_sum, sizeof of_sum);
    return sum;
}

#include "tile.h"

static bool supported(void)
{
    return true;
}

const Kernel *kernel_portable(void)
{
    static const Kernel fused = {.name = "portable", .slow = !FUSED_IN_HARDWARE, KERNEL};
    static const Kernel software = {.name = "portable",
                                    .slow = true,
                                    .supported = supported,
                                    .rows = SOFT_ROWS,
                                    .cols = SOFT_COLS,
                                    .narrow_cols = SOFT_NARROW_COLS,
                                    .tile = soft_tile,
                                    .narrow = soft_narrow,
                                    .part = PART,
                                    .row_grain = 1,
                                    .depth_grain = 1};
    return FUSED_IN_HARDWARE || sizeof(Real) != sizeof(float) ? &fused : &software;
}
