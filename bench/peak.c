/* peak.c: loops that do nothing but multiply-adds, or nothing but read. */
#include "peak.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/parallel/threads.h"

/* The widest vector of this build. */
#if defined __AVX512F__
enum { WIDE_BYTES = 64 };
#elif defined __AVX__
enum { WIDE_BYTES = 32 };
#else
enum { WIDE_BYTES = 16 };
#endif
typedef float Wide __attribute__((vector_size(WIDE_BYTES)));
enum { LANES = WIDE_BYTES / sizeof(float) };

/* Chains of multiply-adds: enough to hide each other's latency, few enough for the registers. */
enum { CHAINS = 12, ROUNDS = 2000000 };

/* The best of a few tries, since other programs only make a try slower. */
enum { TRIES = 7 };

/* 2 · ROUNDS · CHAINS · LANES operations: CHAINS vectors, each multiplied and added to ROUNDS
 * times. The result depends on all of them. */
static float multiply_adds(float start)
{
    Wide chain[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        chain[c] = (Wide){0} + start + (float)c;
    for (int i = 0; i < ROUNDS; i++) {
#pragma GCC unroll 16
        for (int c = 0; c < CHAINS; c++)
            chain[c] = chain[c] * 0.999f + 0.001f;
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        for (int lane = 0; lane < LANES; lane++)
            sum += chain[c][lane];
    return sum;
}

double peak_flops(void)
{
    const int threads = thread_limit();
    double best = 0;
    for (int try = 0; try < TRIES; try++) {
        float sum = 0;
        const double begun = clock_seconds();
        OMP(parallel for schedule(static, 1) reduction(+ : sum))
        for (int t = 0; t < threads; t++)
            sum += multiply_adds((float)t);
        __asm__ volatile("" ::"m"(sum)); /* keeps the compiler from removing all of it */
        const double flops = 2.0 * ROUNDS * CHAINS * LANES * threads / (clock_seconds() - begun);
        best = flops > best ? flops : best;
    }
    return best;
}

/* Reads `count` numbers, a multiple of eight vectors, and adds them up. */
static float sum_of(const float *at, size_t count)
{
    Wide sum[8] = {{0}};
    for (size_t i = 0; i < count; i += 8 * LANES)
#pragma GCC unroll 8
        for (int v = 0; v < 8; v++)
            sum[v] += *(const Wide *)(at + i + (size_t)v * LANES);
    float all = 0;
    for (int v = 0; v < 8; v++)
        for (int lane = 0; lane < LANES; lane++)
            all += sum[v][lane];
    return all;
}

double peak_bandwidth(void)
{
    enum { PART = 1 << 22, PARTS = 32 }; /* 16 MB each, half a gigabyte in all */
    const size_t count = (size_t)PART * PARTS;
    float *block = memory_new(count, sizeof *block, "the memory to read");
    memset(block, 0, count * sizeof *block); /* else all pages would be the same page of zeros */
    double best = 0;
    for (int try = 0; try < TRIES; try++) {
        float sum = 0;
        const double begun = clock_seconds();
        OMP(parallel for schedule(static) reduction(+ : sum))
        for (int part = 0; part < PARTS; part++)
            sum += sum_of(block + (size_t)part * PART, PART);
        __asm__ volatile("" ::"m"(sum)); /* keeps the compiler from removing all of it */
        const double speed = sizeof *block * (double)PART * PARTS / (clock_seconds() - begun);
        best = speed > best ? speed : best;
    }
    free(block);
    return best;
}
