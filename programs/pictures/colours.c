/* colours.c: chooses lightness, chroma and hue in Oklab as smooth functions of the weight, and
 * converts them to sRGB. For 256 colours there are short lists made by hand, because the nearest
 * colours of that palette jump in hue and lightness. */
#include "colours.h"

#include "base/numbers/elementary.h"

/* Lightness at both ends, beyond which sRGB has no room for a hue; and that for unknown grounds. */
static const double DARKEST = 0.25, LIGHTEST = 0.965, MIDDLE = 0.66;

/* Linear light to the 8 bits of sRGB, and back. */
static int encoded(double light)
{
    light = fmin(fmax(light, 0), 1);
    const double value =
        light <= 0.0031308 ? 12.92 * light : 1.055 * elementary_power(light, 1 / 2.4) - 0.055;
    return (int)lround(255 * value);
}

static double decoded(int eight_bits)
{
    const double value = eight_bits / 255.0;
    return value <= 0.04045 ? value / 12.92 : elementary_power((value + 0.055) / 1.055, 2.4);
}

static double cube(double x)
{
    return x * x * x;
}

/* Oklab to linear light, by its definition: cubes of three responses, and a change of axes. */
static Colour of_hue(double L, double chroma, double degrees)
{
    const double turn = degrees * M_PI / 180;
    const double a = chroma * elementary_cos(turn), b = chroma * elementary_sin(turn);
    const double l = cube(L + 0.3963377774 * a + 0.2158037573 * b);
    const double m = cube(L - 0.1055613458 * a - 0.0638541728 * b);
    const double s = cube(L - 0.0894841775 * a - 1.2914855480 * b);
    return (Colour){
        encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
    };
}

/* From 0 to 1, even if rounding has left the weight a little outside. */
static double clamped(double weight)
{
    return fmin(fmax(weight, 0), 1);
}

/* From dark, 0, to light, 1. The ends have less chroma, to stay within sRGB. */
static Colour of_lightness(double up, double degrees)
{
    return of_hue(DARKEST + (LIGHTEST - DARKEST) * up,
                  0.075 - 0.063 * up + 0.067 * elementary_sin(M_PI * up), degrees);
}

Colour colour_of(double weight, Ground ground)
{
    weight = clamped(weight);
    if (ground == GROUND_UNKNOWN) /* blue-grey, purple, orange */
        return of_hue(MIDDLE, 0.03 + 0.15 * weight, 250 + 150 * weight);
    const double up = ground == GROUND_DARK ? weight : 1 - weight;
    return of_lightness(up, 290 - 130 * up); /* indigo, blue, teal, pale green */
}

Colour colour_of_signed(double value)
{
    if (value >= 0)
        return colour_of(value, GROUND_LIGHT);
    const double up = 1 - clamped(-value);
    return of_lightness(up, 25 + 55 * up); /* dark red, orange, pale yellow */
}

/* A number from 16 on is 16 + 36·red + 6·green + blue, each a level from 0 to 5. */
int colour_of_256(double weight, Ground ground, Colour *colour)
{
    enum { STEPS = 7 };
    static const int LEVELS[] = {0, 95, 135, 175, 215, 255};
    static const int FALLING[STEPS] = {195, 152, 110, 67, 25, 19, 17}; /* in lightness */
    static const int EQUAL[STEPS] = {103, 103, 139, 132, 168, 167, 202};
    int step = (int)lround((STEPS - 1) * clamped(weight));
    if (ground == GROUND_DARK)
        step = STEPS - 1 - step;
    const int number = ground == GROUND_UNKNOWN ? EQUAL[step] : FALLING[step], place = number - 16;
    *colour = (Colour){LEVELS[place / 36], LEVELS[place / 6 % 6], LEVELS[place % 6]};
    return number;
}

/* The contrast of two colours, by the Web Content Accessibility Guidelines, is the ratio of their
 * luminances, each plus 0.05. Black has luminance 0, white 1. */
bool colour_wants_white(Colour c)
{
    const double luminance =
        0.2126 * decoded(c.red) + 0.7152 * decoded(c.green) + 0.0722 * decoded(c.blue);
    return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05;
}

/* ---- On a terminal ---- */

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

/* What the terminal says of itself: COLORTERM for 24 bits, TERM for 256 colours. If colours are not
 * allowed at all, screen->bold is empty. */
Shades shades_of(const Screen *screen)
{
    const char *depth = getenv("COLORTERM"), *kind = getenv("TERM");
    const bool full = depth && (!strcmp(depth, "truecolor") || !strcmp(depth, "24bit"));
    const Palette palette = full                               ? PALETTE_FULL
                            : kind && strstr(kind, "256color") ? PALETTE_256
                                                               : PALETTE_PLAIN;
    return (Shades){*screen->bold ? palette : PALETTE_PLAIN, ground_of_terminal()};
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
