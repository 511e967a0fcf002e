/* colours.c: equal steps of a weight are equal steps of lightness, also with 256 colours, and
 * letters can be read on every colour. */
#include "tests/helpers/close.h"

#include "programs/pictures/colours.h"

static double linear(int eight_bits)
{
    const double value = eight_bits / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Oklab's lightness of a colour, by its definition. */
static double lightness(Colour c)
{
    const double r = linear(c.red), g = linear(c.green), b = linear(c.blue);
    return 0.2104542553 * cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) +
           0.7936177850 * cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) -
           0.0040720468 * cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

/* The contrast of the letters that a colour gets, after WCAG. */
static double contrast(Colour c)
{
    const double luminance =
        0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    return colour_wants_white(c) ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05;
}

TEST(lightness_is_even)
{
    for (Ground ground = GROUND_LIGHT; ground <= GROUND_DARK; ground++) {
        const double from = lightness(colour_of(0, ground)), to = lightness(colour_of(1, ground));
        assert_true(ground == GROUND_DARK ? to - from > 0.65 : from - to > 0.65);
        for (int i = 0; i <= 100; i++) {
            const double wanted = from + (to - from) * i / 100;
            assert_close_one("lightness", lightness(colour_of(i / 100.0, ground)), wanted, 0.004);
        }
        /* Rounding may leave a weight a little outside. */
        assert_close_one("beyond", lightness(colour_of(1.0001, ground)), to, 0);
        assert_close_one("beyond", lightness(colour_of(-0.0001, ground)), from, 0);
    }
    for (int i = 0; i <= 100; i++)
        assert_close_one("middle", lightness(colour_of(i / 100.0, GROUND_UNKNOWN)), 0.66, 0.01);
}

/* A number and its negative are equally dark, and never of one hue. */
TEST(signs_are_hues)
{
    for (int i = 0; i <= 100; i++) {
        const Colour more = colour_of_signed(i / 100.0), less = colour_of_signed(-i / 100.0);
        assert_close_one("lightness", lightness(less), lightness(more), 0.008);
        if (i >= 5)
            assert_true(less.red > less.blue && more.red < more.blue);
    }
}

TEST(with_256_colours_lightness_has_the_same_order)
{
    for (Ground ground = GROUND_LIGHT; ground <= GROUND_DARK; ground++) {
        Colour before = {0}, c;
        int last = 0;
        for (int i = 0; i <= 100; i++) {
            const int number = colour_of_256(i / 100.0, ground, &c);
            assert_true(number >= 16 && number < 232);
            assert_close_one("lightness", lightness(c), lightness(colour_of(i / 100.0, ground)),
                             0.1);
            if (i && number != last)
                assert_true((lightness(c) > lightness(before)) == (ground == GROUND_DARK));
            last = number;
            before = c;
        }
    }
    Colour c;
    assert_int_equal(colour_of_256(1, GROUND_UNKNOWN, &c), 202); /* 16 + 36·5 + 6·1 */
    assert_true(c.red == 255 && c.green == 95 && c.blue == 0);
}

TEST(letters_can_be_read)
{
    for (Ground ground = GROUND_LIGHT; ground <= GROUND_UNKNOWN; ground++)
        for (int i = 0; i <= 100; i++) {
            Colour c;
            assert_true(contrast(colour_of(i / 100.0, ground)) >= 4.5);
            colour_of_256(i / 100.0, ground, &c);
            assert_true(contrast(c) >= 4.5);
        }
}
