/* base64.c: the letters of RFC 4648. */
#include "base64.h"

void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const int one = bytes[i], two = left > 1 ? bytes[i + 1] : 0;
        const int three = left > 2 ? bytes[i + 2] : 0;
        putc_unlocked(DIGITS[one >> 2], out);
        putc_unlocked(DIGITS[(one & 3) << 4 | two >> 4], out);
        putc_unlocked(left > 1 ? DIGITS[(two & 15) << 2 | three >> 6] : '=', out);
        putc_unlocked(left > 2 ? DIGITS[three & 63] : '=', out);
    }
}
