/* zip.h: reads the files in a .zip, such as the lab's, or one that Windows or macOS has made of a
 * folder. A .zip ends with a list of its files: names, sizes, checksums, and where the bytes are.
 * Nothing is unpacked to disk: a file is inflated into memory when it is asked for.
 *
 * A .zip may come from a stranger: whatever is wrong with it, one line says what. */
#ifndef PULGA_ZIP_H
#define PULGA_ZIP_H

#include <stdbool.h>
#include <stddef.h>

/* A larger file in a .zip is refused, as in the lab. */
enum { ZIP_MOST_MB = 256 };

/* Whether a path is that of a file whose name ends with .zip. */
bool zip_is(const char *path);

typedef struct Zip Zip;

/* Opens the .zip of this name, whose bytes it takes over. Its files are those of the one folder, at
 * any depth, that holds a file called `marker`. Dies if there is no such folder, or a second. */
Zip *zip_open(const char *name, char *bytes, size_t size, const char *marker);
void zip_free(Zip *zip);

/* Whether that folder has a file. */
bool zip_has(const Zip *zip, const char *name);

/* A descriptor to read the file from, which the caller closes, and the file's size. Dies if it is
 * missing or damaged. */
int zip_file(const Zip *zip, const char *name, size_t *size);

#endif
