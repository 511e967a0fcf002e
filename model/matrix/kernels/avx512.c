/* avx512.c: AVX-512: 32 registers of 64 bytes, 28 of them for sums. */
#include "model/matrix/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define MULTIPLY_ADD(sum, a, b)                                                                    \
    ((sum) = _Generic(                                                                             \
         (a), float                                                                                \
         : (Vector)_mm512_fmadd_ps(_mm512_set1_ps((float)(a)), (__m512)(b), (__m512)(sum)), double \
         : (Vector)_mm512_fmadd_pd(_mm512_set1_pd((double)(a)), (__m512d)(b), (__m512d)(sum))))
#define TILE_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))
#define VECTOR_BYTES 64
#define TILE_ROWS 14
#define TILE_VECTORS 2
#include "tile.h"

static bool supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

const Kernel *kernel_avx512(void)
{
    static const Kernel kernel = {.name = "avx512", KERNEL};
    return &kernel;
}
#else
const Kernel *kernel_avx512(void)
{
    return NULL;
}
#endif
