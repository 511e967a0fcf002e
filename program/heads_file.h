/* heads_file.h: writes attention maps, or the cosines of positions, into a file, of the kind that
 * the file's ending names. */
#ifndef PULGA_HEADS_FILE_H
#define PULGA_HEADS_FILE_H

#include "pictures/heads.h"
#include "pictures/positions.h"

/* Ends in a usage error if the ending is unknown, or if such a file cannot show `positions`. Dies
 * if the path is a file that attend has not written, such as config.json or another table. */
void heads_file_check(const char *path, bool positions);

/* Writes the chosen heads. Dies if they are too many for that kind of file. If writing fails,
 * warns, leaves no part of the file and returns false. */
bool heads_file_write(const char *path, const Heads *heads);
bool heads_file_write_positions(const char *path, const Positions *positions);

#endif
