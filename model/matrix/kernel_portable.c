/* kernel_portable.c: for any processor: vectors of 16 bytes, which all common ones have, and 16
 * registers, 10 of them for sums: without fused instructions a product needs a register too. */
#include "fused.h"

/* Through arrays, since compilers make a vector instruction of a loop over these, but not of one
 * over the elements of vectors. */
#define MULTIPLY_ADD(sum, a, b)                                  \
    do {                                                         \
        Real of_sum[LANES], of_b[LANES];                         \
        memcpy(of_sum, &(sum), sizeof of_sum);                   \
        memcpy(of_b, &(b), sizeof of_b);                         \
        for (int lane = 0; lane < LANES; lane++)                 \
            of_sum[lane] = fused((a), of_b[lane], of_sum[lane]); \
        memcpy(&(sum), of_sum, sizeof of_sum);                   \
    } while (0)
#define TILE_TARGET
#define VECTOR_BYTES 16
#define TILE_ROWS 5
#define TILE_VECTORS 2
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
