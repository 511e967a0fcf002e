/* rounded.c: blocks of rounded numbers, which are written once and then only read. */
#include "rounded.h"

#include "base/numbers/elementary.h"
#include "matrix.h"

/* ---- Reading ---- */

/* Some numbers from a place on, whatever it is: parts of vectors at both ends. */
static void read_numbers(Real *to, Rounding rounding, const Real *origin, ptrdiff_t place,
                         int count)
{
    for (int done = 0, here; done < count; done += here) {
        const int from = (int)((place + done) % ROUNDED_GRAIN), before = from % VECTOR;
        const void *block = rounded_block(rounding, origin, place + done);
        Vector vector;
        rounded_vector(&vector, rounding, block, from - before);
        here = min_int(VECTOR - before, count - done);
        if (here == VECTOR)
            *(Vector *)(to + done) = vector;
        else
            memcpy(to + done, (const Real *)&vector + before, sizeof *to * (size_t)here);
    }
}

Matrix rounded_copy(Real *room, Matrix m)
{
    if (m.col_step != 1)
        return transposed(rounded_copy(room, transposed(m)));
    for (int i = 0; i < m.rows; i++)
        read_numbers(ROW(room, i, m.cols), m.rounding, m.origin, rounded_place(m, i), m.cols);
    return matrix(room, m.rows, m.cols);
}

void matrix_read(Real *to, Matrix row)
{
    if (row.rounding)
        read_numbers(to, row.rounding, row.origin, rounded_place(row, 0), row.cols);
    else
        memcpy(to, row.at, sizeof *to * (size_t)row.cols);
}

/* ---- Writing ---- */

/* To the nearest, of two to the even one. */
static Bf16 to_bf16(const Real *numbers)
{
    Bf16 block = {{{0}}};
    for (int i = 0; i < ROUNDED_GRAIN; i++) {
        const uint32_t bits = (uint32_t)bits_of_float((float)numbers[i]), g = (uint32_t)i / LANES;
        block.words[g / 2][i % LANES] |= (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16 * (g % 2);
    }
    return block;
}

/* Sizes are in the same order as their bits. Adding FLOAT_ROUNDER rounds a number to a whole one,
 * whose last byte is the last byte of the sum. */
static Q8 to_q8(const Real *numbers)
{
    Q8 block = {{0}, {0}};
    for (int half = 0; half < 2; half++, numbers += ROUNDED_GRAIN / 2) {
        int32_t largest = 0;
        for (int i = 0; i < ROUNDED_GRAIN / 2; i++)
            largest = max_int(largest, bits_of_float((float)numbers[i]) & 0x7FFFFFFF);
        const float step = float_of_bits(largest) / 127;
        const uint32_t up = ((uint32_t)bits_of_float(step) + 0xFFFF) & 0xFFFF0000;
        const float most = float_of_bits((int32_t)up);
        block.scale[half] = most * 0x1p-24f;
        for (int i = 0; i < ROUNDED_GRAIN / 2 && up; i++) {
            const float sum = (float)numbers[i] / most + FLOAT_ROUNDER;
            const uint32_t q = (uint32_t)bits_of_float(sum) & 0xFF;
            block.words[i % LANES] |= q << 8 * (2 * half + i / LANES);
        }
    }
    return block;
}

/* Numbers that follow each other in memory become a block. */
static void write_block(Matrix m, ptrdiff_t place, const Real *numbers)
{
    const size_t size = rounded_block_size(m.rounding);
    char *block = (char *)m.origin + (size_t)place / ROUNDED_GRAIN * size;
    if (m.rounding == ROUNDING_BF16)
        *(Bf16 *)block = to_bf16(numbers);
    else
        *(Q8 *)block = to_q8(numbers);
}

/* By columns: of a transposed matrix, as they lie. */
static void write_transposed(Matrix m, const Real *numbers)
{
    Real block[ROUNDED_GRAIN] = {0};
    for (int j = 0; j < m.cols; j++)
        for (int from = 0; from < m.rows; from += ROUNDED_GRAIN) {
            const int count = min_int(ROUNDED_GRAIN, m.rows - from);
            Real *to = m.rounding ? block : m.at + from + j * m.col_step;
            for (int i = 0; i < count; i++)
                to[i] = ROW(numbers, from + i, m.cols)[j];
            if (m.rounding)
                write_block(m, rounded_place(m, from) + j * m.col_step, block);
        }
}

void matrix_write(Matrix m, const Real *numbers)
{
    if (m.col_step != 1) {
        write_transposed(m, numbers);
        return;
    }
    for (int i = 0; i < m.rows; i++, numbers += m.cols)
        if (m.rounding)
            for (int j = 0; j < m.cols; j += ROUNDED_GRAIN)
                write_block(m, rounded_place(m, i) + j, numbers + j);
        else
            memcpy(m.at + i * m.row_step, numbers, sizeof *numbers * (size_t)m.cols);
}

void matrix_clear(Matrix m)
{
    char *at = m.rounding ? (char *)rounded_block(m.rounding, m.origin, rounded_place(m, 0))
                          : (char *)m.at;
    memset(at, 0, (size_t)m.rows * (size_t)rounded_width(m.rounding, m.cols) * sizeof(Real));
}

int rounded_width(Rounding rounding, int cols)
{
    const int block = rounding ? (int)(rounded_block_size(rounding) / sizeof(Real)) : 0;
    return rounding ? cols / ROUNDED_GRAIN * block : cols;
}
