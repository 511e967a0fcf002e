/* rounded.c: the rounded numbers take the place of the others, from the front on: nothing is
 * overwritten before it is read, and the pages after them go back to the system. */
#include "rounded.h"

#include <assert.h>
#include <unistd.h>

#include "base/numbers/elementary.h"
#include "base/system/system.h"
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

/* ---- Rounding ---- */

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

static Q8 to_q8(const Real *numbers)
{
    Q8 block = {{0}, {0}};
    for (int half = 0; half < 2; half++, numbers += ROUNDED_GRAIN / 2) {
        float most = 0;
        for (int i = 0; i < ROUNDED_GRAIN / 2; i++)
            most = fmaxf(most, fabsf((float)numbers[i]));
        const uint32_t up = ((uint32_t)bits_of_float(most / 127) + 0xFFFF) & 0xFFFF0000;
        memcpy(&most, &up, sizeof up);
        block.scale[half] = most * 0x1p-24f;
        for (int i = 0; i < ROUNDED_GRAIN / 2 && up; i++) {
            const int q = (int)rintf((float)numbers[i] / most), g = 2 * half + i / LANES;
            block.words[i % LANES] |= (uint32_t)(q & 0xFF) << 8 * g;
        }
    }
    return block;
}

/* Whatever type the numbers had, their bytes are written: only through memcpy may a block take
 * their place. */
void matrix_round(Real *numbers, size_t count, Rounding rounding)
{
    char *end = (char *)numbers, *const until = (char *)(numbers + count);
    assert(count % ROUNDED_GRAIN == 0);
    for (size_t i = 0; i < count; i += ROUNDED_GRAIN)
        if (rounding == ROUNDING_BF16) {
            const Bf16 block = to_bf16(numbers + i);
            end = (char *)memcpy(end, &block, sizeof block) + sizeof block;
        } else {
            const Q8 block = to_q8(numbers + i);
            end = (char *)memcpy(end, &block, sizeof block) + sizeof block;
        }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), left = (size_t)(until - end);
    const size_t part = (page - (size_t)end % page) % page; /* of a page that is still needed */
    if (left > part + page) {
        system_renew(end + part, (left - part) / page * page);
        /* or the system would in time make large pages of these as well */
        system_use_large_pages(end + part, (left - part) / page * page, false);
    }
}
