/* colours.h: weights as colours. On a light or a dark ground equal steps of the weight are equal
 * steps of lightness to the eye (L of Oklab, a colour space made for that), so that they can also
 * be compared in black and white, and a weight of 0 is close to the ground. If the ground is
 * unknown, as in many terminals, all weights have one lightness in the middle, which stands out
 * from black and from white, and the colour goes from grey to orange. */
#ifndef PULGA_COLOURS_H
#define PULGA_COLOURS_H

#include <stdbool.h>

#include "programs/terminal/screen.h"

typedef enum { GROUND_LIGHT, GROUND_DARK, GROUND_UNKNOWN } Ground;

typedef struct {
    int red, green, blue; /* sRGB, 0 to 255 */
} Colour;

/* weight: 0 to 1 */
Colour colour_of(double weight, Ground ground);

/* From -1 to 1, on a light ground: as above from 0 on; what is below 0 has the same lightness, but
 * goes to a dark red. */
Colour colour_of_signed(double value);

/* One of a terminal's 256 colours, as its number; *colour receives what it looks like. On a known
 * ground, lightness follows the weight as above, in seven steps. */
int colour_of_256(double weight, Ground ground, Colour *colour);

/* Whether white letters have more contrast on this colour than black ones. */
bool colour_wants_white(Colour colour);

/* Shades of colour on a terminal, behind letters. Letters and background are always set
 * together, so that they can be read on a light and on a dark terminal. */
typedef enum { PALETTE_PLAIN, PALETTE_256, PALETTE_FULL } Palette;

/* What a terminal can show. */
typedef struct {
    Palette palette; /* PALETTE_PLAIN: no shades, as in a pipe and under NO_COLOR */
    Ground ground;
} Shades;

/* Below this weight nothing is shaded on an unknown ground. */
#define SHADE_FAINT 0.05

Shades shades_of(const Screen *screen);

/* From here on what is printed has the shade of a weight from 0 to 1, up to shade_end(). The
 * palette is not PALETTE_PLAIN. */
void shade_begin(Shades shades, double weight);
void shade_end(void);

#endif
