/* rounded.h: numbers that are kept in fewer bytes, for models that only read and write: a token
 * takes as long as reading all weights from memory.
 *
 *     bf16     the upper half of a float: 8 significant bits
 *     q8       whole numbers q from −127 to 127, and a scale for each 32 of them; a number is
 *              scale · q. The scale is the largest size of the 32 / 127, rounded up to 8
 *              significant bits: so the product is exact.
 *
 * A product reads them as the numbers that they are rounded to, and in the same order as others: so
 * a rounded model gives the same bits as one whose weights are these numbers. Rows have a multiple
 * of 64 numbers. Those of a block of 64 lie so that each 16 are a vector of words, shifted. */
#ifndef PULGA_ROUNDED_H
#define PULGA_ROUNDED_H

#include "base/numbers/lanes.h"
#include "matrix.h"

/* Number 16·(2v + h) + l of a block is the lower (h = 0) or upper half of word l of vector v. */
typedef struct {
    uint32_t words[2][LANES];
} Bf16;

/* Number 16·g + l is byte g of word l. A byte of a word is shifted to its upper end, times 2^24, so
 * the scales are stored times 2^-24. */
typedef struct {
    float scale[2];
    uint32_t words[LANES];
} Q8;

/* As many numbers as a vector register holds floats. gcc splits wider vectors, and converts them
 * number by number. */
#ifdef __AVX512F__
enum { VECTOR = 16 };
#elif defined __AVX__
enum { VECTOR = 8 };
#else
enum { VECTOR = 4 };
#endif
typedef Real Vector
    __attribute__((vector_size(VECTOR * sizeof(Real)), aligned(sizeof(Real)), may_alias));

/* Where row i of a rounded matrix begins, counted from the origin. */
static inline ptrdiff_t rounded_place(Matrix m, int i)
{
    return m.at - m.origin + i * m.row_step;
}

static inline size_t rounded_block_size(Rounding rounding)
{
    return rounding == ROUNDING_BF16 ? sizeof(Bf16) : sizeof(Q8);
}

/* The block with the number at a place. */
static inline const void *rounded_block(Rounding rounding, const Real *origin, ptrdiff_t place)
{
    return (const char *)origin + (size_t)place / ROUNDED_GRAIN * rounded_block_size(rounding);
}

/* to = VECTOR numbers of a block, from number `from` on, which is a multiple of VECTOR. What comes
 * from a word's lower end has nothing below it once it is shifted, and needs no mask. */
static inline void rounded_vector(Vector *to, Rounding rounding, const void *block, int from)
{
    typedef uint32_t Words __attribute__((vector_size(VECTOR * sizeof(uint32_t))));
    typedef int32_t Whole __attribute__((vector_size(VECTOR * sizeof(int32_t))));
    typedef float Floats __attribute__((vector_size(VECTOR * sizeof(float))));
    const int g = from / LANES, word = from % LANES;
    Words words;
    if (rounding == ROUNDING_BF16) {
        memcpy(&words, ((const Bf16 *)block)->words[g / 2] + word, sizeof words);
        words = g % 2 ? words & 0xFFFF0000 : words << ((Words){0} + 16);
        *to = __builtin_convertvector((Floats)words, Vector);
    } else {
        const Q8 *q8 = block;
        memcpy(&words, q8->words + word, sizeof words);
        words = words << ((Words){0} + 8u * (unsigned)(3 - g));
        words = g ? words & 0xFF000000 : words;
        *to = (Real)q8->scale[g / 2] * __builtin_convertvector((Whole)words, Vector);
    }
}

/* A copy of a rounded matrix in `room` (rows · cols). It lies in the same order as the matrix: by
 * rows or by columns. */
Matrix rounded_copy(Real *room, Matrix m);

#endif
