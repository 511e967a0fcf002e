/* plot.c: the plot of a terminal: never wider than the screen, a dozen lines and a caption, with
 * Braille or in ASCII as the locale says, and in colour only if colours are allowed. */
#include "tests/helpers/close.h"

#include "base/utf8.h"
#include "programs/train/curve.h"
#include "tests/helpers/maps.h"

static const Screen PLAIN = {true, "", ""};

/* What is printed in `columns` columns; the caller frees it. */
static char *plot_of(const Curve *curve, const Screen *screen, const char *locale, int columns)
{
    char number[16];
    snprintf(number, sizeof number, "%d", columns);
    setenv("COLUMNS", number, 1);
    setenv("LC_ALL", locale, 1);
    capture_begin();
    plot_print(curve, screen, "runs/a/curve.svg");
    return capture_end();
}

/* A loss that falls from 8 to 2, and evaluations, over `steps` steps. */
static Curve *curve_new(int steps)
{
    Curve *c = memory_new(1, sizeof *c, "a curve");
    *c = (Curve){
        .run = "runs/a", .text = "held-out", .floor = 0.5, .floor_of = "the text", .counting = 5};
    for (int step = 1; step <= steps; step++) {
        curve_add(&c->loss, step, 2 + 6 * exp(-5.0 * step / steps));
        if (step % (steps / 4 + 1) == 0)
            curve_add(&c->evaluated, step, 3 + 6 * exp(-5.0 * step / steps));
    }
    return c;
}

TEST(a_plot_fits_the_screen)
{
    static const char *const locales[] = {"C", "C.UTF-8"};
    for (int columns = 60; columns <= 200; columns += 20)
        for (int steps = 1; steps <= 1000000; steps *= 100)
            for (int i = 0; i < 2; i++) {
                Curve *c = curve_new(steps);
                char *text = plot_of(c, &PLAIN, locales[i], columns);
                int lines = 0;
                for (char *rest = text, *line; (line = strsep(&rest, "\n")) && rest; lines++)
                    assert_true(display_width(line) <= columns);
                assert_int_equal(lines, 1 + 10 + 2 + 1); /* caption, plot, steps, and a blank one */
                free(text);
                free(c);
            }
}

TEST(the_locale_decides_between_braille_and_ascii)
{
    Curve *c = curve_new(40);
    char *text = plot_of(c, &PLAIN, "C", 80);
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at < 128);
    assert_int_equal(count_parts(text, "- floor 0.5"), 1);
    assert_int_equal(count_parts(text, "= counting 5"), 1);
    assert_int_equal(count_parts(text, ". each step 2.04"), 1);
    assert_int_equal(count_parts(text, "o held-out "), 1);
    free(text);
    text = plot_of(c, &PLAIN, "es_MX.utf8", 80); /* it need not be installed */
    assert_int_equal(count_parts(text, "●"), 3 + 1);
    assert_true(count_parts(text, "⣀") > 1);
    assert_int_equal(count_parts(text, "0.5"), 1);
    assert_int_equal(count_parts(text, "\033"), 0);
    free(text);
    free(c);
}

TEST(colours_are_used_only_if_they_are_allowed)
{
    Curve *c = curve_new(40);
    char *text = plot_of(c, &(Screen){true, "\033[1m", "\033[0m"}, "C.UTF-8", 80);
    assert_int_equal(count_parts(text, "\033[35m●\033[0m"), 3 + 1);
    assert_int_equal(count_parts(text, "\033[32m╌"), 1); /* the floor is one piece */
    assert_true(count_parts(text, "\033[36m") > 2);
    free(text);
    free(c);
}

/* The lines and columns of two points: the first is the highest, the last the lowest. */
TEST(points_are_where_the_axes_say)
{
    Curve *c = memory_new(1, sizeof *c, "a curve");
    *c = (Curve){.run = "a", .text = "all text", .floor = NAN, .floor_of = "", .counting = NAN};
    curve_add(&c->loss, 0, 8);
    curve_add(&c->loss, 10, 0);
    curve_add(&c->loss, 10, 2); /* their mean is 1 */
    curve_add(&c->evaluated, 0, 8);
    char *text = plot_of(c, &PLAIN, "C", 60);
    const char *first = strstr(text, "       8|o"), *last = strstr(text, ". each step 1\n");
    assert_non_null(first);
    assert_non_null(last);
    assert_true(last[-2] == '.'); /* the end of the line */
    assert_int_equal(count_parts(text, "floor"), 0);
    assert_int_equal(count_parts(text, "0         "), 1); /* the axis of the steps */
    free(text);
    free(c);
}

TEST(nothing_is_plotted_of_no_step)
{
    Curve *c = memory_new(1, sizeof *c, "a curve");
    curve_add(&c->evaluated, 0, 7);
    char *text = plot_of(c, &PLAIN, "C", 80);
    assert_string_equal(text, "");
    free(text);
    free(c);
}
