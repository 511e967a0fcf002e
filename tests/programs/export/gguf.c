/* A GGUF file is read back by a reader of its own: keys, places and numbers; and numbers of 16 and
 * 8 bits are the nearest ones. */
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

static void every_kind_of_key_is_read_back(void **state)
{
    (void)state;
    char *folder = scratch_new(), *texts[] = {"uno", "", "▁tres"};
    Gguf gguf = {0};
    gguf_put_whole(&gguf, "whole", 4000000000u);
    gguf_put_number(&gguf, "number", 1e-5f);
    gguf_put_flag(&gguf, "yes", true);
    gguf_put_flag(&gguf, "no", false);
    gguf_put_text(&gguf, "text", "gpt2");
    gguf_put_array(&gguf, "texts", GGUF_STRING, texts, 3);
    gguf_put_array(&gguf, "wholes", GGUF_INT32, (int32_t[]){1, -2}, 2);
    gguf_put_array(&gguf, "numbers", GGUF_FLOAT32, (float[]){-1, 0.5f, 3}, 3);
    gguf_put_array(&gguf, "bytes", GGUF_UINT8, "\0\xFF", 2);
    gguf_put_array(&gguf, "none", GGUF_STRING, NULL, 0);
    GgufFile file = written(&gguf, folder);
    assert_int_equal(file.key_count, 10);
    assert_int_equal(file.tensor_count, 0);
    assert_int_equal(gguf_file_key(&file, "whole")->type, 4);
    assert_int_equal(gguf_file_whole(gguf_file_key(&file, "whole"), 0), 4000000000u);
    assert_int_equal(gguf_file_key(&file, "number")->type, 6);
    assert_true(gguf_file_number(gguf_file_key(&file, "number"), 0) == 1e-5f);
    assert_int_equal(gguf_file_key(&file, "yes")->type, 7);
    assert_int_equal(*gguf_file_key(&file, "yes")->at, 1);
    assert_int_equal(*gguf_file_key(&file, "no")->at, 0);
    size_t size;
    assert_int_equal(gguf_file_key(&file, "text")->type, 8);
    assert_memory_equal(gguf_file_text(gguf_file_key(&file, "text"), 0, &size), "gpt2", 4);
    assert_int_equal(size, 4);
    const GgufPart *array = gguf_file_key(&file, "texts");
    assert_true(array->type == 9 && array->item == 8 && array->count == 3);
    assert_memory_equal(gguf_file_text(array, 2, &size), "▁tres", 7);
    assert_int_equal(size, 7);
    gguf_file_text(array, 1, &size);
    assert_int_equal(size, 0);
    array = gguf_file_key(&file, "wholes");
    assert_true(array->item == 5 && array->count == 2 && (int)gguf_file_whole(array, 1) == -2);
    array = gguf_file_key(&file, "numbers");
    assert_true(array->item == 6 && array->count == 3 && gguf_file_number(array, 1) == 0.5f);
    array = gguf_file_key(&file, "bytes");
    assert_true(array->item == 0 && array->count == 2 && array->at[1] == '\xFF');
    assert_int_equal(gguf_file_key(&file, "none")->count, 0);
    gguf_file_free(&file);
    scratch_remove(folder);
}

static void tensors_are_read_back_at_their_places(void **state)
{
    (void)state;
    char *folder = scratch_new();
    const Real matrix[] = {1, 2, 3, 4, 5, 6}, vector[] = {(Real)0.1, -7, 3e38f};
    Gguf gguf = {0};
    gguf_put_text(&gguf, "key", "x"); /* so that the header does not end at a multiple of 32 */
    gguf_add(&gguf, (GgufTensor){.name = "plain", .rows = 2, .cols = 3, .at = matrix});
    gguf_add(&gguf, (GgufTensor){
                        .name = "turned", .rows = 3, .cols = 2, .transposed = true, .at = matrix});
    gguf_add(&gguf, (GgufTensor){.name = "vector", .cols = 3, .at = vector});
    gguf_add(&gguf,
             (GgufTensor){.name = "half", .rows = 2, .cols = 3, .type = GGUF_F16, .at = matrix});
    GgufFile file = written(&gguf, folder);
    const GgufPart *plain = gguf_file_tensor(&file, "plain");
    assert_true(plain->count == 2 && plain->axes[0] == 3 && plain->axes[1] == 2);
    const GgufPart *turned = gguf_file_tensor(&file, "turned");
    assert_true(turned->count == 2 && turned->axes[0] == 2 && turned->axes[1] == 3);
    const float wanted[] = {1, 4, 2, 5, 3, 6};
    for (size_t i = 0; i < 6; i++) {
        assert_true(gguf_file_number(plain, i) == (float)matrix[i]);
        assert_true(gguf_file_number(turned, i) == wanted[i]);
    }
    const GgufPart *row = gguf_file_tensor(&file, "vector");
    assert_true(row->count == 1 && row->axes[0] == 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(gguf_file_number(row, i) == (float)vector[i]);
    const GgufPart *half = gguf_file_tensor(&file, "half");
    assert_int_equal(half->type, 1);
    assert_memory_equal(half->at, "\x00\x3C\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12);
    gguf_file_free(&file);
    scratch_remove(folder);
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
static void every_half_is_the_nearest(void **state)
{
    (void)state;
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

static void blocks_of_32_have_a_scale(void **state)
{
    (void)state;
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

static void a_number_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    GgufType type = GGUF_F16;
    assert_dies(add_large, &type, "w.weight", "-1e+30", "--type f32");
    type = GGUF_Q8_0;
    assert_dies(add_large, &type, "w.weight");
    type = GGUF_F32;
    add_large(&type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_key_is_read_back),
        cmocka_unit_test(tensors_are_read_back_at_their_places),
        cmocka_unit_test(every_half_is_the_nearest),
        cmocka_unit_test(blocks_of_32_have_a_scale),
        cmocka_unit_test(a_number_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
