/* plot.h: the losses of a run as a plot in a dozen lines of a terminal. */
#ifndef PULGA_PLOT_H
#define PULGA_PLOT_H

#include "curve.h"
#include "programs/terminal/screen.h"

/* Prints it, or nothing if no step was logged; curve_path, for the caption, is the file that has
 * the same in full. */
void plot_print(const Curve *curve, const Screen *screen, const char *curve_path);

#endif
