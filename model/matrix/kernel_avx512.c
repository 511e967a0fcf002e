/* kernel_avx512.c: AVX-512: 32 registers of 64 bytes, 28 of them for sums. */
#include "kernel.h"

#ifdef __x86_64__
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
