/* gguf.c: the keys are put together in memory as the file has them; the numbers are converted row
 * by row while they are written, so that no second copy of the model is needed. */
#include "gguf.h"

#include <endian.h>
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the file's numbers are little-endian");

enum { ALIGNMENT = 32 }; /* what readers assume if the file does not say it */

/* The types of values. */
typedef enum {
    VALUE_UINT8 = 0,
    VALUE_UINT32 = 4,
    VALUE_INT32 = 5,
    VALUE_FLOAT32 = 6,
    VALUE_BOOL = 7,
    VALUE_STRING = 8,
    VALUE_ARRAY = 9,
} ValueType;

/* ---- Keys ---- */

static void append(char **to, const void *bytes, size_t size)
{
    if (size) /* of no bytes there may be no address */
        memcpy(arraddnptr(*to, size), bytes, size);
}

static void append_32(char **to, uint32_t value)
{
    append(to, &value, sizeof value);
}

static void append_64(char **to, uint64_t value)
{
    append(to, &value, sizeof value);
}

static void append_text(char **to, const char *text)
{
    append_64(to, strlen(text));
    append(to, text, strlen(text));
}

/* A key and the type of its value. */
static void begin_key(Gguf *gguf, const char *key, ValueType type)
{
    gguf->key_count++;
    append_text(&gguf->keys, key);
    append_32(&gguf->keys, type);
}

/* A key whose value is an array of `count` values of this type. */
static void begin_array(Gguf *gguf, const char *key, ValueType type, size_t count)
{
    begin_key(gguf, key, VALUE_ARRAY);
    append_32(&gguf->keys, type);
    append_64(&gguf->keys, count);
}

void gguf_put_whole(Gguf *gguf, const char *key, uint32_t value)
{
    begin_key(gguf, key, VALUE_UINT32);
    append_32(&gguf->keys, value);
}

void gguf_put_number(Gguf *gguf, const char *key, float value)
{
    begin_key(gguf, key, VALUE_FLOAT32);
    append(&gguf->keys, &value, sizeof value);
}

void gguf_put_flag(Gguf *gguf, const char *key, bool value)
{
    begin_key(gguf, key, VALUE_BOOL);
    arrput(gguf->keys, value);
}

void gguf_put_text(Gguf *gguf, const char *key, const char *value)
{
    begin_key(gguf, key, VALUE_STRING);
    append_text(&gguf->keys, value);
}

void gguf_put_texts(Gguf *gguf, const char *key, char *const *values, size_t count)
{
    begin_array(gguf, key, VALUE_STRING, count);
    for (size_t i = 0; i < count; i++)
        append_text(&gguf->keys, values[i]);
}

void gguf_put_wholes(Gguf *gguf, const char *key, const int32_t *values, size_t count)
{
    begin_array(gguf, key, VALUE_INT32, count);
    append(&gguf->keys, values, count * sizeof *values);
}

void gguf_put_numbers(Gguf *gguf, const char *key, const float *values, size_t count)
{
    begin_array(gguf, key, VALUE_FLOAT32, count);
    append(&gguf->keys, values, count * sizeof *values);
}

void gguf_put_bytes(Gguf *gguf, const char *key, const char *values, size_t count)
{
    begin_array(gguf, key, VALUE_UINT8, count);
    append(&gguf->keys, values, count);
}

void gguf_free(Gguf *gguf)
{
    arrfree(gguf->keys);
    arrfree(gguf->tensors);
}

/* ---- Numbers ---- */

/* A half's fraction has 10 bits, so between 2^e and 2^(e+1) its numbers are 2^(e-10) apart; below
 * 2^-14 they are 2^-24 apart. The number is rounded to a multiple of that, by a mode that prefers
 * even ones. */
uint16_t gguf_half(float number)
{
    const uint16_t sign = signbit(number) ? 0x8000 : 0;
    const float size = fabsf(number);
    if (!(size < 65520)) /* nearer to 2^16 than to the largest half; or NaN */
        return (uint16_t)(sign | (isnan(number) ? 0x7E00 : 0x7C00));
    int exponent;
    frexpf(size, &exponent); /* size < 2^exponent */
    const int step = size < 0x1p-14f ? -24 : exponent - 11;
    const long steps = lrintf(ldexpf(size, -step));
    /* 1024 to 2048 steps; the bit of 1024 is not stored but added to the exponent, as is a 2048 */
    return (uint16_t)(sign | (((step + 24) << 10) + steps));
}

/* The largest absolute value of some numbers. */
static float largest(const float *numbers, int count)
{
    float most = 0;
    for (int i = 0; i < count; i++)
        most = fmaxf(most, fabsf(numbers[i]));
    return most;
}

/* 32 numbers x as a scale d = max|x| / 127, and the nearest whole numbers to x/d. */
static void put_block(FILE *out, const float *x)
{
    const float d = largest(x, GGUF_Q8_0_BLOCK) / 127, per = d > 0 ? 1 / d : 0;
    const uint16_t scale = gguf_half(d);
    int8_t whole[GGUF_Q8_0_BLOCK];
    for (int i = 0; i < GGUF_Q8_0_BLOCK; i++)
        whole[i] = (int8_t)roundf(x[i] * per);
    fwrite(&scale, sizeof scale, 1, out);
    fwrite(whole, 1, sizeof whole, out);
}

static void put_row(FILE *out, GgufType type, const float *row, int cols)
{
    switch (type) {
    case GGUF_F32: fwrite(row, sizeof *row, (size_t)cols, out); break;
    case GGUF_F16:
        for (int c = 0; c < cols; c++) {
            const uint16_t half = gguf_half(row[c]);
            fwrite(&half, sizeof half, 1, out);
        }
        break;
    case GGUF_Q8_0:
        for (int c = 0; c < cols; c += GGUF_Q8_0_BLOCK)
            put_block(out, row + c);
    }
}

/* ---- Tensors ---- */

static int rows_of(const GgufTensor *t)
{
    return t->rows ? t->rows : 1;
}

/* One row, as floats even in the double build. */
static void read_row(const GgufTensor *t, int r, float *row)
{
    for (int c = 0; c < t->cols; c++)
        row[c] = (float)(t->transposed ? ROW(t->at, c, t->rows)[r] : ROW(t->at, r, t->cols)[c]);
}

/* The bytes of a tensor's numbers, without those that fill up to the next one. */
static size_t bytes_of(const GgufTensor *t)
{
    const size_t count = (size_t)rows_of(t) * (size_t)t->cols;
    return t->type == GGUF_F32   ? count * sizeof(float)
           : t->type == GGUF_F16 ? count * sizeof(uint16_t)
                                 : count / GGUF_Q8_0_BLOCK * (GGUF_Q8_0_BLOCK + sizeof(uint16_t));
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void gguf_add(Gguf *gguf, GgufTensor t)
{
    const size_t count = (size_t)rows_of(&t) * (size_t)t.cols;
    const Real most = (Real)(t.type == GGUF_F16 ? 65504.0 : 65504.0 * 127);
    for (size_t i = 0; i < count && t.type != GGUF_F32; i++)
        if (t.at[i] > most || t.at[i] < -most)
            die("%s has the number %g, too large for this type; use --type f32", t.name,
                (double)t.at[i]);
    arrput(gguf->tensors, t);
}

/* All before the numbers, without what fills up to them. The caller frees: an stb_ds array. */
static char *header_of(const Gguf *gguf)
{
    char *header = NULL;
    uint64_t offset = 0;
    append(&header, GGUF_BEGIN, strlen(GGUF_BEGIN));
    append_32(&header, 3);
    append_64(&header, (uint64_t)arrlen(gguf->tensors));
    append_64(&header, gguf->key_count);
    append(&header, gguf->keys, (size_t)arrlen(gguf->keys));
    for (ptrdiff_t i = 0; i < arrlen(gguf->tensors); i++) {
        const GgufTensor *t = &gguf->tensors[i];
        append_text(&header, t->name);
        append_32(&header, t->rows ? 2 : 1);
        append_64(&header, (uint64_t)t->cols);
        if (t->rows)
            append_64(&header, (uint64_t)t->rows);
        append_32(&header, t->type);
        append_64(&header, offset);
        offset += aligned(bytes_of(t));
    }
    return header;
}

/* Zeros after `size` bytes, up to the next multiple of the alignment, which is returned. */
static size_t fill(FILE *out, size_t size)
{
    static const char zeros[ALIGNMENT];
    fwrite(zeros, 1, aligned(size) - size, out);
    return aligned(size);
}

size_t gguf_write(const Gguf *gguf, FILE *out)
{
    char *header = header_of(gguf);
    fwrite(header, 1, (size_t)arrlen(header), out);
    size_t size = fill(out, (size_t)arrlen(header));
    arrfree(header);
    for (ptrdiff_t i = 0; i < arrlen(gguf->tensors); i++) {
        const GgufTensor *t = &gguf->tensors[i];
        float *row = memory_new((size_t)t->cols, sizeof *row, "a row of a tensor");
        for (int r = 0; r < rows_of(t); r++) {
            read_row(t, r, row);
            put_row(out, t->type, row, t->cols);
        }
        free(row);
        size += fill(out, bytes_of(t));
    }
    return size;
}
