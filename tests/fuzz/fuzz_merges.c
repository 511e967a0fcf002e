/* fuzz_merges.c: vocab.json and merges.txt of a model of subwords, as GPT-2 has them: the input is
 * the one, a byte 0, and the other. */
#include <string.h>

#include "damaged_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *zero = size ? memchr(bytes, 0, size) : NULL;
    const size_t words = zero ? (size_t)(zero - bytes) : size;
    return open_with_two(bytes, words, zero ? zero + 1 : bytes, zero ? size - words - 1 : 0);
}
