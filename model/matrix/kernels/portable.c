/* portable.c: for any processor: vectors of 16 bytes, which all common ones have, and 16
 * registers, 10 of them for sums: without fused instructions a product also needs a register. */
#include "fused.h"
#include "model/matrix/kernel.h"

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
    if (!FUSED_IN_HARDWARE && sizeof(Real) == sizeof(float))
        return (Sums)fused_four_in_software((float)a, (Floats)b, (Floats)sum);
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
    static const Kernel kernel = {.name = "portable", .slow = !FUSED_IN_HARDWARE, KERNEL};
    return &kernel;
}
