/* avx512_bf16.c: bfloat16 on AVX-512. As avx512.c, but each instruction multiplies
 * words: two numbers, each rounded to the upper half of a float. The sums stay floats. */
#include "model/matrix/kernel.h"

#ifdef __x86_64__
#include <immintrin.h>

#define TILE_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512bf16,fma")))
#define VECTOR_BYTES 64
#define TILE_ROWS 14
#define TILE_VECTORS 2
#define MULTIPLY_ADD(sum, a, b) \
    ((sum) = (Vector)_mm512_dpbf16_ps((__m512)(sum), (__m512bh)BROADCAST(a), (__m512bh)(b)))
/* clang 16 and 17 crash if they see that all words of such a vector are the same. */
#if defined __clang__ && (__clang_major__ == 16 || __clang_major__ == 17)
#define BROADCAST(a)                               \
    (__extension__({                               \
        __m512 words = _mm512_set1_ps((float)(a)); \
        __asm__("" : "+v"(words));                 \
        words;                                     \
    }))
#else
#define BROADCAST(a) _mm512_set1_ps((float)(a))
#endif
#include "tile.h"

/* The words of up to 16 numbers of `even`, each followed by the one of `odd`. */
TILE_TARGET static inline __m512i pairs_of(__m512 even, __m512 odd)
{
    const __m512i places =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutexvar_epi16(places, (__m512i)_mm512_cvtne2ps_pbh(odd, even));
}

TILE_TARGET void bf16_pair_rows(Real *words, const Real *even, const Real *odd, int count)
{
    for (int from = 0; from < count; from += 16) {
        const int left = count - from;
        const __mmask16 there = left < 16 ? (__mmask16)((1u << left) - 1) : 0xFFFF;
        const __m512 upper = odd ? _mm512_maskz_loadu_ps(there, odd + from) : _mm512_setzero_ps();
        _mm512_mask_storeu_epi32(words + from, there,
                                 pairs_of(_mm512_maskz_loadu_ps(there, even + from), upper));
    }
}

TILE_TARGET void bf16_pair_along(Real *words, const Real *numbers, int count)
{
    int from = 0;
    for (; from + 32 <= count; from += 32)
        _mm512_storeu_si512(words + from / 2,
                            (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(numbers + from + 16),
                                                         _mm512_loadu_ps(numbers + from)));
    if (from < count) {
        const uint32_t there = (1u << (count - from)) - 1;
        const __m512 first = _mm512_maskz_loadu_ps((__mmask16)there, numbers + from);
        const __m512 second = _mm512_maskz_loadu_ps((__mmask16)(there >> 16), numbers + from + 16);
        _mm512_mask_storeu_epi32(words + from / 2,
                                 (__mmask16)((1u << ((count - from + 1) / 2)) - 1),
                                 (__m512i)_mm512_cvtne2ps_pbh(second, first));
    }
}

/* A word holds two rounded floats, so the double build has no bfloat16. */
static bool supported(void)
{
    return sizeof(Real) == sizeof(float) && __builtin_cpu_supports("avx512bf16") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
}

const Kernel *kernel_avx512_bf16(void)
{
    static const Kernel kernel = {
        .name = "avx512_bf16", KERNEL, .pair_rows = bf16_pair_rows, .pair_along = bf16_pair_along};
    return &kernel;
}
#else
const Kernel *kernel_avx512_bf16(void)
{
    return NULL;
}
#endif
