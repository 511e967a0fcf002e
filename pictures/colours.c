/* colours.c: see colours.h. */
#include "colours.h"

#include <math.h>

/* Lightness at both ends. Beyond them the gamut has no room for a hue. */
static const double DARKEST = 0.25, LIGHTEST = 0.965;

/* Linear light to the 8 bits of sRGB. */
static int encoded(double light)
{
    light = fmin(fmax(light, 0), 1);
    const double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (int)lround(255 * value);
}

/* Oklab to linear light, by its definition: cubes of three responses, and a change of axes. */
static Colour from_oklab(double L, double a, double b)
{
    const double l = pow(L + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(L - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(L - 0.0894841775 * a - 1.2914855480 * b, 3);
    return (Colour){
        encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
    };
}

Colour colour_of(double weight, bool dark)
{
    const double up = fmin(fmax(dark ? weight : 1 - weight, 0), 1); /* the lightness's way */
    const double L = DARKEST + (LIGHTEST - DARKEST) * up;
    /* From indigo by way of blue and teal to a pale green; at the ends less chroma is to be had.
     * All stay within what sRGB can show. */
    const double hue = (290 - 130 * up) * M_PI / 180;
    const double chroma = 0.075 - 0.063 * up + 0.067 * sin(M_PI * up);
    return from_oklab(L, chroma * cos(hue), chroma * sin(hue));
}

bool colour_wants_white(Colour c)
{
    return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue < 140;
}
