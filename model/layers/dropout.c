/* dropout.c: draws the mask again whenever it is needed, from the counter-based random numbers of
 * base/numbers/random.h, and multiplies. */
#include "base/parallel/threads.h"
#include "dropout.h"

/* A counter makes four words. Sixteen counters side by side fill a vector register, so 64 columns
 * are drawn at a time: word k of counter number c serves column 64·(c / 16) + 16·k + c mod 16. */
enum { LANES = RANDOM_LANES, GROUP = 4 * LANES };

static void words_of_group(uint32_t words[4][LANES], uint32_t group, uint32_t row,
                           RandomPurpose purpose, uint32_t site, Dropout dropout)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        words[0][lane] = group * LANES + lane;
        words[1][lane] = row;
        words[2][lane] = site;
        words[3][lane] = dropout.step;
    }
    random_many_words(words, dropout.seed, purpose);
}

void dropout_apply_row(Real *x, int first, int count, uint32_t row, RandomPurpose purpose, int site,
                       Dropout dropout)
{
    if (dropout.rate == 0)
        return;
    const uint32_t threshold = (uint32_t)(dropout.rate * 0x1p32);
    const Real kept = (Real)(1 / (1 - dropout.rate));
    for (int from = first / GROUP * GROUP; from < first + count; from += GROUP) {
        uint32_t words[4][LANES];
        words_of_group(words, (uint32_t)(from / GROUP), row, purpose, (uint32_t)site, dropout);
        for (int k = 0; k < 4; k++) {
            const int lane = from + k * LANES, begin = max_int(lane, first);
            const int end = min_int(lane + LANES, first + count);
            for (int j = begin; j < end; j++)
                x[j - first] *= words[k][j - lane] < threshold ? 0 : kept;
        }
    }
}

void dropout_apply(Real *x, const Batch *batch, int C, RandomPurpose purpose, int site,
                   Dropout dropout)
{
    if (dropout.rate == 0)
        return;
    OMP(parallel for)
    for (int i = 0; i < batch->rows; i++)
        dropout_apply_row(ROW(x, i, C), 0, C, batch->first_row + (uint32_t)i, purpose, site,
                          dropout);
}
