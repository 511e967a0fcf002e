/* checksum.c: XXH3 from the xxHash library. In a checksum of several pieces, the result so far is
 * the seed for the next piece. */
#include "checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/fail.h"

uint64_t checksum_of(const void *bytes, size_t size)
{
    return checksum_continue(0, bytes, size);
}

uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, before);
}

Checksum *checksum_begin(uint64_t before)
{
    Checksum *checksum = XXH3_createState();
    if (!checksum)
        die("no memory for a checksum");
    XXH3_64bits_reset_withSeed(checksum, before);
    return checksum;
}

void checksum_add(Checksum *checksum, const void *bytes, size_t size)
{
    XXH3_64bits_update(checksum, bytes, size);
}

uint64_t checksum_end(Checksum *checksum)
{
    const uint64_t result = XXH3_64bits_digest(checksum);
    XXH3_freeState(checksum);
    return result;
}

Hex checksum_hex(uint64_t checksum)
{
    Hex hex;
    snprintf(hex.text, sizeof hex.text, "%016" PRIx64, checksum);
    return hex;
}
