/* relaxed.c: WebAssembly's relaxed multiply-add. It rounds once if the processor can, and may
 * round twice if it cannot: one product at the start tells. */
#include "model/matrix/kernel.h"

#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>

#define MULTIPLY_ADD(sum, a, b) \
    ((sum) = (Vector)wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), (v128_t)(b), (v128_t)(sum)))
#define TILE_TARGET
#define VECTOR_BYTES 16
#define TILE_ROWS 5
#define TILE_VECTORS 2
#include "tile.h"

/* (1 + 2^-12)² − (1 + 2^-11) is 2^-24, which the product alone would lose. */
static bool supported(void)
{
    volatile const float factor = 1 + 0x1p-12f, sum = -(1 + 0x1p-11f);
    return wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(wasm_f32x4_splat(factor),
                                                           wasm_f32x4_splat(factor),
                                                           wasm_f32x4_splat(sum)),
                                   0) == 0x1p-24f;
}

const Kernel *kernel_relaxed(void)
{
    static const Kernel kernel = {.name = "relaxed", KERNEL};
    return &kernel;
}
#else
const Kernel *kernel_relaxed(void)
{
    return NULL;
}
#endif
