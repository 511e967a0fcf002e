/* shades.h: shades of colour on a terminal, behind letters. Letters and background are always set
 * together, so that they can be read on a light and on a dark terminal. */
#ifndef PULGA_SHADES_H
#define PULGA_SHADES_H

#include "colours.h"
#include "programs/terminal/screen.h"

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
