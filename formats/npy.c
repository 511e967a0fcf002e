/* npy.c: the header is padded with spaces, so that the numbers begin on a multiple of 64 bytes. */
#include "npy.h"

#include <endian.h>
#include <string.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the file's numbers are little-endian");

void npy_begin(FILE *out, const int *shape, int axes)
{
    enum { MARK = 10, LINE = 64 };
    char header[512];
    int size =
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < axes; i++)
        size += snprintf(header + size, sizeof header - (size_t)size, "%d%s", shape[i],
                         i + 1 < axes ? ", "
                         : axes == 1  ? ","
                                      : "");
    size += snprintf(header + size, sizeof header - (size_t)size, "), }");
    while ((MARK + size + 1) % LINE)
        header[size++] = ' ';
    header[size++] = '\n';
    const unsigned char mark[MARK] = {0x93,
                                      'N',
                                      'U',
                                      'M',
                                      'P',
                                      'Y',
                                      1,
                                      0,
                                      (unsigned char)(size & 0xFF),
                                      (unsigned char)(size >> 8)};
    fwrite(mark, 1, MARK, out);
    fwrite(header, 1, (size_t)size, out);
}

void npy_numbers(FILE *out, const Real *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float number = (float)numbers[i]; /* in the double build, too */
        fwrite(&number, sizeof number, 1, out);
    }
}
