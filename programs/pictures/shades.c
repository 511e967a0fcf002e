/* shades.c: what a terminal can show is read from the environment; a shade is one escape
 * sequence. */
#include "shades.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the terminal says of itself: COLORTERM for 24 bits, TERM for 256 colours. If colours are not
 * allowed at all, screen->bold is empty. */
static Palette palette_of(const Screen *screen)
{
    const char *depth = getenv("COLORTERM"), *kind = getenv("TERM");
    if (!*screen->bold)
        return PALETTE_PLAIN;
    if (depth && (!strcmp(depth, "truecolor") || !strcmp(depth, "24bit")))
        return PALETTE_FULL;
    return kind && strstr(kind, "256color") ? PALETTE_256 : PALETTE_PLAIN;
}

/* Some terminals say in COLORFGBG what their colours are: "15;0", letters and background. Of the 16
 * colours, light grey and those after dark grey are light. */
static Ground ground_of_terminal(void)
{
    const char *colours = getenv("COLORFGBG"), *background = colours ? strrchr(colours, ';') : NULL;
    char *end;
    const long colour = background ? strtol(background + 1, &end, 10) : -1;
    if (!background || end == background + 1 || *end || colour < 0 || colour > 15)
        return GROUND_UNKNOWN;
    return colour == 7 || colour > 8 ? GROUND_LIGHT : GROUND_DARK;
}

Shades shades_of(const Screen *screen)
{
    return (Shades){palette_of(screen), ground_of_terminal()};
}

/* Ink 231 is white, 16 is black, of the 256 colours. */
void shade_begin(Shades shades, double weight)
{
    Colour c = colour_of(weight, shades.ground);
    if (shades.ground == GROUND_UNKNOWN && weight < SHADE_FAINT)
        shade_end();
    else if (shades.palette == PALETTE_FULL)
        printf("\033[48;2;%d;%d;%d;38;5;%dm", c.red, c.green, c.blue,
               colour_wants_white(c) ? 231 : 16);
    else {
        const int number = colour_of_256(weight, shades.ground, &c);
        printf("\033[48;5;%d;38;5;%dm", number, colour_wants_white(c) ? 231 : 16);
    }
}

void shade_end(void)
{
    fputs("\033[0m", stdout);
}
