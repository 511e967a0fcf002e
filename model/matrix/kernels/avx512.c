/* avx512.c: AVX-512: 32 registers of 64 bytes, 28 of them for sums. */
#include "model/matrix/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define MULTIPLY_ADD(sum, a, b)                                                                    \
    ((sum) = _Generic(                                                                             \
         (a), float                                                                                \
         : (Vector)_mm512_fmadd_ps(_mm512_set1_ps((float)(a)), (__m512)(b), (__m512)(sum)), double \
         : (Vector)_mm512_fmadd_pd(_mm512_set1_pd((double)(a)), (__m512d)(b), (__m512d)(sum))))
#define FIRST(count) ((__mmask16)((1u << (count)) - 1))
#define LOAD_FIRST(vector, at, count)                                              \
    ((vector) = _Generic(*(at), float                                              \
                         : (Vector)_mm512_maskz_loadu_ps(FIRST(count), at), double \
                         : (Vector)_mm512_maskz_loadu_pd((__mmask8)FIRST(count), at)))
#define STORE_FIRST(at, vector, count)                                           \
    _Generic(*(at), float                                                        \
             : _mm512_mask_storeu_ps(at, FIRST(count), (__m512)(vector)), double \
             : _mm512_mask_storeu_pd(at, (__mmask8)FIRST(count), (__m512d)(vector)))
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
