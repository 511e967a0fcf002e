/* lanes.h: sums of many numbers in an order that no compiler and no processor changes. Number j is
 * added to running sum j mod 16, and at the end the 16 sums are added in pairs:
 *
 *     l + (l + 8) for l < 8, then l + (l + 4) for l < 4, then (0 + 2) + (1 + 3)
 *
 * A vector register of any width holds some of the 16 sums, so this is as fast as a sum whose order
 * follows the width of the registers. */
#ifndef PULGA_LANES_H
#define PULGA_LANES_H

enum { LANES = 16 };

/* sum_of_float(x) and sum_of_double(x): the 16 sums x added in pairs. */
#define SUM_OF(type)                                                                          \
    static inline type sum_of_##type(const type *x)                                           \
    {                                                                                         \
        typedef type Eight                                                                    \
            __attribute__((vector_size(8 * sizeof(type)), aligned(sizeof(type)), may_alias)); \
        typedef type Four __attribute__((vector_size(4 * sizeof(type))));                     \
        const Eight eight = *(const Eight *)x + *(const Eight *)(x + 8);                      \
        const Four four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +                 \
                          __builtin_shufflevector(eight, eight, 4, 5, 6, 7);                  \
        return (four[0] + four[2]) + (four[1] + four[3]);                                     \
    }
SUM_OF(float)
SUM_OF(double)

/* The sum of 16 floats or 16 doubles. */
#define SUM_OF_LANES(x) _Generic((x)[0], float : sum_of_float, double : sum_of_double)(x)

/* sum = the sum of `term`, an expression in j, over 0 <= j < count, in float or double. */
#define SUM_IN_LANES(type, sum, j, count, term)          \
    do {                                                 \
        type lane_[LANES] = {0};                         \
        int from_ = 0;                                   \
        for (; from_ + LANES <= (count); from_ += LANES) \
            for (int l_ = 0; l_ < LANES; l_++) {         \
                const int j = from_ + l_;                \
                lane_[l_] += (term);                     \
            }                                            \
        for (int j = from_; j < (count); j++)            \
            lane_[j - from_] += (term);                  \
        (sum) = SUM_OF_LANES(lane_);                     \
    } while (0)

#endif
