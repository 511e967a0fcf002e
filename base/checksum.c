/* checksum.c: XXH3 from the xxHash library. In a checksum of several pieces, the result so far is
 * the seed for the next piece. */
#include "checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

uint64_t checksum_of(const void *bytes, size_t size)
{
    return checksum_continue(0, bytes, size);
}

uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, before);
}

void checksum_hex(char text[17], uint64_t checksum)
{
    snprintf(text, 17, "%016" PRIx64, checksum);
}
