/* avx2.c: AVX2 and FMA: 16 registers of 32 bytes, 12 of them for sums. */
#include "model/matrix/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define MULTIPLY_ADD(sum, a, b)                                                                    \
    ((sum) = _Generic(                                                                             \
         (a), float                                                                                \
         : (Vector)_mm256_fmadd_ps(_mm256_set1_ps((float)(a)), (__m256)(b), (__m256)(sum)), double \
         : (Vector)_mm256_fmadd_pd(_mm256_set1_pd((double)(a)), (__m256d)(b), (__m256d)(sum))))
/* Masks with ones in the first lanes. */
#define FIRST_FLOATS(count) \
    _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define FIRST_DOUBLES(count) \
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3))
#define LOAD_FIRST(vector, at, count)                                                           \
    ((vector) =                                                                                 \
         _Generic(*(at), float                                                                  \
                  : (Vector)_mm256_maskload_ps((const void *)(at), FIRST_FLOATS(count)), double \
                  : (Vector)_mm256_maskload_pd((const void *)(at), FIRST_DOUBLES(count))))
#define STORE_FIRST(at, vector, count)                                                          \
    _Generic(*(at), float                                                                       \
             : _mm256_maskstore_ps((void *)(at), FIRST_FLOATS(count), (__m256)(vector)), double \
             : _mm256_maskstore_pd((void *)(at), FIRST_DOUBLES(count), (__m256d)(vector)))
#define TILE_TARGET __attribute__((target("avx2,fma")))
#define VECTOR_BYTES 32
#define TILE_ROWS 6
#define TILE_VECTORS 2
#define TILE_UNROLLED 4
#include "tile.h"

static bool supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const Kernel *kernel_avx2(void)
{
    static const Kernel kernel = {.name = "avx2", KERNEL};
    return &kernel;
}
#else
const Kernel *kernel_avx2(void)
{
    return NULL;
}
#endif
