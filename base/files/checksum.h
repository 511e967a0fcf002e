/* checksum.h: 64-bit checksums (XXH3) of bytes, and their 16 hex digits, as files hold them. They
 * reveal damage and mix-ups, not tampering: whoever changes a file on purpose can also
 * change its checksum. */
#ifndef PULGA_CHECKSUM_H
#define PULGA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum_of(const void *bytes, size_t size);

/* The checksum of several pieces, one call for each: `before` is the result of the last call, 0 for
 * the first piece. The same bytes in other pieces have another checksum. */
uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size);

/* The checksum of a piece that is not in memory as a whole: its bytes are added a part at a time,
 * in any parts. checksum_end() gives the result, and frees. */
typedef struct XXH3_state_s Checksum;
Checksum *checksum_begin(uint64_t before);
void checksum_add(Checksum *checksum, const void *bytes, size_t size);
uint64_t checksum_end(Checksum *checksum);

/* Returned by value: nothing to free. */
typedef struct {
    char text[17];
} Hex;
Hex checksum_hex(uint64_t checksum);

#endif
