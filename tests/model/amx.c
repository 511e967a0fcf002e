/* amx.c: the AMX kernel on processors without AMX: runs the tests of matrix.c on the kernel's own
 * code, with functions in place of the tile instructions. */

#ifdef __x86_64__
#include <immintrin.h>

#include "base/numbers/random.h"
#include "tests/helpers/close.h"

/* A tile: 16 rows of 64 bytes, as words. A thread has eight, once they are configured. */
typedef struct {
    uint32_t word[16][16];
} Tile;
static _Thread_local Tile registers[8];
static _Thread_local bool shaped;

static Tile *whole(int number)
{
    if (!shaped)
        die("a tile is used before it is configured");
    return &registers[number];
}

static void by_hand_loadconfig(const void *shape)
{
    const uint8_t *bytes = shape;
    bool right = bytes[0] == 1;
    for (int t = 0; t < 8; t++)
        right &= bytes[16 + 2 * t] == 64 && bytes[17 + 2 * t] == 0 && bytes[48 + t] == 16;
    if (!right)
        die("this does not configure eight whole tiles");
    shaped = true;
}

static void by_hand_release(void)
{
    memset(registers, 0xFF, sizeof registers);
    shaped = false;
}

static void by_hand_zero(int t)
{
    memset(whole(t), 0, sizeof(Tile));
}

static void by_hand_loadd(int t, const void *from, size_t step)
{
    for (size_t i = 0; i < 16; i++)
        memcpy(whole(t)->word[i], (const char *)from + i * step, 64);
}

static void by_hand_stored(int t, void *to, size_t step)
{
    for (size_t i = 0; i < 16; i++)
        memcpy((char *)to + i * step, whole(t)->word[i], 64);
}

static float number_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* sums[i][j] += Σ_k a[i][k]·b[k][j], both numbers of each word: the lower 16 bits first. */
static void by_hand_dpbf16ps(int sums, int a, int b)
{
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = number_of(whole(sums)->word[i][j]);
            for (int k = 0; k < 16; k++) {
                const uint32_t x = whole(a)->word[i][k], y = whole(b)->word[k][j];
                sum += number_of(x << 16) * number_of(y << 16);
                sum += number_of(x & 0xFFFF0000) * number_of(y & 0xFFFF0000);
            }
            memcpy(&whole(sums)->word[i][j], &sum, sizeof sum);
        }
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#define _tile_loadconfig by_hand_loadconfig
#define _tile_release by_hand_release
#define _tile_zero by_hand_zero
#define _tile_loadd by_hand_loadd
#define _tile_stored by_hand_stored
#define _tile_dpbf16ps by_hand_dpbf16ps
/* These files are never compiled together elsewhere, and share names. */
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "model/matrix/kernels/amx.c"
#include "model/matrix/matrix.c"

#define main main_of_matrix
#include "matrix.c"
#undef main

int main(void)
{
    if (!kernel_avx512_bf16()->supported()) {
        printf("this processor cannot round to pairs\n");
        return 0;
    }
    (void)main_of_matrix;
    chosen = kernel_amx();
    in_pairs = true;
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_of_every_shape),
                                       cmocka_unit_test(the_bits_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    printf("AMX exists only on x86-64\n");
    return 0;
}
#endif
