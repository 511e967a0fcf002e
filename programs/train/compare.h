/* compare.h: runs beside each other. */
#ifndef PULGA_COMPARE_H
#define PULGA_COMPARE_H

#include "programs/terminal/screen.h"

/* Prints a table of runs, whose paths end with NULL: the best loss of each, its model's size and
 * checksum, the time it took, and the settings in which they differ. Marks losses that cannot be
 * compared with the first run's. With `picture`, a path or NULL, also draws the losses of their
 * evaluations. Dies if one is not a run, or if the picture would replace another file. Returns
 * false after a warning if the picture cannot be written. */
bool compare(char *const *runs, const char *picture, const Screen *screen);

#endif
