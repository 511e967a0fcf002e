/* checksum.h: 64-bit checksums (XXH3) of bytes, and the 16 hex digits that files hold of one.
 * They tell damage and mix-ups, not malice: whoever changes a file on purpose can change its
 * checksum. */
#ifndef PULGA_CHECKSUM_H
#define PULGA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum_of(const void *bytes, size_t size);

/* Of some bytes and of all that came before them, whose checksum is known; 0 at the beginning.
 * Where one piece ends and the next begins makes a difference. */
uint64_t checksum_continue(uint64_t before, const void *bytes, size_t size);

void checksum_hex(char text[17], uint64_t checksum);

#endif
