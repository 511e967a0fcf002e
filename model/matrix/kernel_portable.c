/* kernel_portable.c: for any processor: vectors of 16 bytes, which all common ones have, and 16
 * registers, 10 of them for sums: without fused instructions a product needs a register too. */
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
    static const Kernel kernel = {.name = "portable", KERNEL};
    return &kernel;
}
