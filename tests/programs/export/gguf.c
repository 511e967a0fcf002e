/* Numbers of 16 and 8 bits in a GGUF file are the nearest ones. What else is in one is tested in
 * llamacpp.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/export/gguf.h"
#include "tests/helpers/close.h"
#include "tests/helpers/gguf_file.h"
#include "tests/helpers/scratch.h"

/* Writes the file and reads it back; frees both. */
static GgufFile written(Gguf *gguf, const char *folder)
{
    char *path = format_text("%s/a.gguf", folder);
    FileWriter writer;
    assert_true(file_begin_at(&writer, path));
    const size_t size = gguf_write(gguf, writer.stream);
    assert_true(file_commit(&writer));
    const GgufFile file = gguf_file_read(path);
    assert_int_equal(file.size, size);
    gguf_free(gguf);
    free(path);
    return file;
}

/* ---- 16 bits ---- */

/* By the definition of the format: (-1)^sign · 2^(exponent - 15) · 1.fraction. */
static double value_of(unsigned half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -size : size;
}

/* Between two neighbours the nearer one is taken; in the middle the even one. */
UNIT_TEST(every_half_is_the_nearest)
{
    for (unsigned half = 0; half < 0x7C00; half++) {
        const float here = (float)value_of(half);
        assert_int_equal(gguf_half(here), half);
        assert_int_equal(gguf_half(-here), half | 0x8000);
        const float next = half + 1 < 0x7C00 ? (float)value_of(half + 1) : 65536;
        const float middle = (here + next) / 2;
        assert_int_equal(gguf_half(middle), half + half % 2);
        assert_int_equal(gguf_half(nextafterf(middle, 0)), half);
        assert_int_equal(gguf_half(nextafterf(middle, INFINITY)), half + 1);
    }
    assert_int_equal(gguf_half(1e30f), 0x7C00);
    assert_int_equal(gguf_half(-INFINITY), 0xFC00);
    assert_int_equal(gguf_half(NAN) & 0x7FFF, 0x7E00);
    assert_int_equal(gguf_half(1e-30f), 0);
}

/* ---- 8 bits ---- */

UNIT_TEST(blocks_of_32_have_a_scale)
{
    char *folder = scratch_new();
    Real rows[2 * 64] = {0}; /* the second block of the first row stays 0 */
    for (int i = 0; i < 32; i++)
        rows[i] = (Real)(i - 16) / 8; /* -2 ... 1.875 */
    for (int i = 64; i < 128; i++)
        rows[i] = (Real)(sin(i) / 1000);
    Gguf gguf = {0};
    gguf_add(&gguf,
             (GgufTensor){.name = "q", .rows = 2, .cols = 64, .type = GGUF_Q8_0, .at = rows});
    GgufFile file = written(&gguf, folder);
    const GgufPart *q = gguf_file_tensor(&file, "q");
    assert_true(q->type == 8 && q->axes[0] == 64 && q->axes[1] == 2);
    for (int block = 0; block < 4; block++) {
        const char *at = q->at + 34 * (ptrdiff_t)block;
        uint16_t half;
        memcpy(&half, at, sizeof half);
        const double scale = value_of(half);
        for (int i = 0; i < 32; i++) /* half a step, and what rounding the scale adds */
            assert_true(fabs(scale * (signed char)at[2 + i] - (double)rows[32 * block + i]) <=
                        scale * (0.5 + 127.0 / 2048));
        assert_true(block != 1 || (!half && !at[2] && !at[33]));
    }
    assert_int_equal((signed char)q->at[2], -127);
    assert_int_equal((signed char)q->at[2 + 16], 0);
    assert_int_equal((signed char)q->at[2 + 31], 119); /* 1.875 / 2 · 127 = 119.06 */
    gguf_file_free(&file);
    scratch_remove(folder);
}

static void add_large(void *type)
{
    Real row[32] = {1, -1e30f};
    Gguf gguf = {0};
    gguf_add(&gguf,
             (GgufTensor){.name = "w.weight", .cols = 32, .type = *(GgufType *)type, .at = row});
    gguf_free(&gguf);
}

UNIT_TEST(a_number_that_does_not_fit_is_refused)
{
    GgufType type = GGUF_F16;
    assert_dies(add_large, &type, "w.weight", "-1e+30", "--type f32");
    type = GGUF_Q8_0;
    assert_dies(add_large, &type, "w.weight");
    type = GGUF_F32;
    add_large(&type);
}
