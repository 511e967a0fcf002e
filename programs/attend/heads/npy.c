/* npy.c: 10 bytes, then the header's text, for example
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (4, 4, 9, 9), }
 *
 * padded with spaces and a line end, so that the numbers begin on a multiple of 64 bytes. */
#include "npy.h"

#include <endian.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the file's numbers are little-endian");

/* Not as one string: gettext's tools refuse strings that are not UTF-8. */
const char NPY_BEGIN[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', '\0'};

void npy_begin(FILE *out, const int shape[4])
{
    char header[256];
    const int size =
        snprintf(header, sizeof header,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }", shape[0],
                 shape[1], shape[2], shape[3]);
    const uint16_t padded = (uint16_t)((10 + size + 1 + 63) / 64 * 64 - 10);
    fputs(NPY_BEGIN, out);
    fwrite("\1\0", 1, 2, out); /* version 1.0 of the format */
    fwrite(&padded, sizeof padded, 1, out);
    fprintf(out, "%-*s\n", padded - 1, header);
}

void npy_numbers(FILE *out, const Real *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float number = (float)numbers[i]; /* also in the double build */
        fwrite(&number, sizeof number, 1, out);
    }
}
