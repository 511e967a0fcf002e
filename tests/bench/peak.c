/* peak.c: loops that do nothing but multiply-adds, or nothing but read. */
#include "bench.h"

#include "base/base.h"
#include "base/numbers/lanes.h"
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
enum { WIDTH = WIDE_BYTES / sizeof(float) };

/* Chains of multiply-adds: enough to hide each other's latency, few enough for the registers. */
enum { CHAINS = 12, ROUNDS = 2000000 };
const double PEAK_OPERATIONS = 2.0 * ROUNDS * CHAINS * WIDTH;

/* The memory that is read: 16 MB each, half a gigabyte in all. */
enum { PART = 1 << 22, PARTS = 32 };
const double PEAK_BYTES = sizeof(float) * (double)PART * PARTS;

/* CHAINS vectors, each multiplied and added to ROUNDS times. The result depends on all of them. */
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
        for (int lane = 0; lane < WIDTH; lane++)
            sum += chain[c][lane];
    return sum;
}

static void compute(void *unused)
{
    (void)unused;
    const int threads = thread_limit();
    float sum = 0;
    OMP(parallel for schedule(static, 1) reduction(+ : sum))
    for (int t = 0; t < threads; t++)
        sum += multiply_adds((float)t);
    __asm__ volatile("" ::"m"(sum)); /* keeps the compiler from removing all of it */
}

Measured measure_arithmetic(const void *unused)
{
    (void)unused;
    return measure_rounds(compute, NULL, 0.2);
}

/* Adds four numbers at a time, since a sum waits for the one before it. */
static void read_all(void *what)
{
    enum { QUARTER = PART / 4 };
    float sum = 0;
    OMP(parallel for schedule(static) reduction(+ : sum))
    for (int part = 0; part < PARTS; part++) {
        const float *at = ROW((const float *)what, part, PART);
        float own;
        SUM_IN_LANES(float, own, j, QUARTER,
                     (at[j] + at[j + QUARTER]) + (at[j + 2 * QUARTER] + at[j + 3 * QUARTER]));
        sum += own;
    }
    __asm__ volatile("" ::"m"(sum));
}

Measured measure_reading(const void *unused)
{
    (void)unused;
    float *block = memory_new((size_t)PART * PARTS, sizeof *block, "the memory to read");
    memset(block, 0, (size_t)PEAK_BYTES); /* else all pages would be the same page of zeros */
    return measure_rounds(read_all, block, 0.5);
}
