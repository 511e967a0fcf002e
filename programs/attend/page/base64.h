/* base64.h: bytes as letters, for blocks of data in a page. */
#ifndef PULGA_BASE64_H
#define PULGA_BASE64_H

#include <stdint.h>
#include <stdio.h>

/* Three bytes become four letters of six bits each, the highest bits first; at the end "=" stands
 * for each byte that is missing. */
void put_base64(FILE *out, const uint8_t *bytes, size_t size);

#endif
