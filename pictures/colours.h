/* colours.h: weights as colours. Equal steps of the weight are equal steps of lightness to the eye
 * (Oklab's L), so that the order can be read without telling hues apart, and in black and white.
 * On paper nothing is pale and all is dark; on a dark page it is the other way round. */
#ifndef PULGA_COLOURS_H
#define PULGA_COLOURS_H

#include <stdbool.h>

typedef struct {
    int red, green, blue; /* sRGB, 0 to 255 */
} Colour;

/* weight: 0 to 1 */
Colour colour_of(double weight, bool dark);

/* Whether writing on this colour should be white; else it should be black. */
bool colour_wants_white(Colour colour);

#endif
