/* curve.c: rows of a log as a figure: what is joined if there are many, which axes are chosen, and
 * that it is whole whatever the log holds. */
#include "tests/helpers/close.h"

#include "programs/train/curve.h"
#include "tests/helpers/maps.h"

static Curve *curve_new(double floor)
{
    Curve *curve = memory_new(1, sizeof *curve, "a curve");
    *curve = (Curve){.run = "runs/<b>&",
                     .text = "held-out",
                     .floor = floor,
                     .floor_of = "the text",
                     .counting = NAN};
    return curve;
}

/* The figure; the caller frees it. */
static char *figure_of(const Curve *curve)
{
    capture_begin();
    curve_write(stdout, curve);
    return capture_end();
}

/* ---- What is joined ---- */

/* Nothing is lost: the points have as many values as were added, and their sum. */
TEST(points_of_a_long_run_are_means_of_equal_parts)
{
    enum { ROWS = 100000 };
    Curve *c = curve_new(NAN);
    int64_t count = 0;
    double values = 0, before = -1;
    for (int64_t step = 1; step <= ROWS; step++)
        curve_add(&c->loss, step, (double)step);
    assert_int_equal(c->loss.wide, 256); /* the first power of two that is enough */
    EACH_POINT (point, &c->loss) {
        count += point->count;
        values += point->values;
        assert_true(point->count <= 256 && point_step(point) > before);
        assert_true(point->least <= point_mean(point) && point->most >= point_mean(point));
        before = point_step(point);
    }
    assert_true(count == ROWS && values == ROWS * (ROWS + 1.0) / 2);
    assert_true(c->loss.first == 1 && c->loss.last == ROWS && c->loss.minimum == 1);
    char *figure = figure_of(c);
    assert_true(strlen(figure) < 50000);
    assert_int_equal(count_parts(figure, "a mean of several steps"), 1);
    free(figure);
    free(c);
}

TEST(what_is_no_number_of_a_step_is_left_out)
{
    Curve *c = curve_new(NAN);
    curve_add(&c->loss, 1, NAN);
    curve_add(&c->loss, 1, INFINITY);
    curve_add(&c->loss, -1, 1);
    assert_true(curve_is_empty(c));
    curve_add(&c->loss, (int64_t)1 << 52, 1); /* a log that someone has edited */
    curve_add(&c->loss, 3, 2);
    assert_int_equal(c->loss.at[0].count + c->loss.at[c->loss.last / c->loss.wide].count, 2);
    free(c);
}

/* ---- The axes ---- */

static void assert_ticks(const Axis *axis, const double *wanted, int count)
{
    assert_int_equal(axis->count, count);
    for (int i = 0; i < count; i++) {
        assert_close_one("a tick", axis->tick[i], wanted[i], 1e-9 * fabs(wanted[i]));
        const double place = axis_place(axis, axis->tick[i]);
        assert_true(place >= 0 && place <= 1);
    }
}

TEST(axes_have_round_ticks)
{
    Axis axis = axis_linear(0.511, 7.66, 6, true);
    assert_ticks(&axis, (const double[]){0, 2, 4, 6, 8}, 5);
    assert_close_one("a quarter", axis_place(&axis, 2), 0.25, 1e-12);
    axis = axis_linear(0, 315, 8, false);
    assert_ticks(&axis, (const double[]){0, 50, 100, 150, 200, 250, 300}, 7);
    axis = axis_linear(3, 3, 4, true); /* one value */
    assert_ticks(&axis, (const double[]){0, 1, 2, 3}, 4);
    axis = axis_linear(0, 0, 4, true);
    assert_true(axis.high > axis.low);
    axis = axis_log(0.37, 7.7, 6);
    assert_ticks(&axis, (const double[]){0.5, 1, 2, 3, 5}, 5);
    assert_close_one("the middle", axis_place(&axis, sqrt(0.37 * 7.7)), 0.5, 1e-9);
    axis = axis_log(1e-7, 1e30, 6);
    assert_true(axis.count > 2 && axis.count <= 7);
    assert_true(axis_place(&axis, 0) == 0 && axis_place(&axis, 1e31) == 1);
}

/* A log that begins late, and one that begins early. */
TEST(an_axis_begins_near_the_first_step)
{
    for (int early = 0; early < 2; early++) {
        Curve *c = curve_new(NAN);
        curve_add(&c->loss, early ? 100 : 900, 2);
        curve_add(&c->loss, 1000, 1);
        assert_true((curve_steps(c, 8).low > 0) == !early);
        free(c);
    }
}

TEST(losses_that_differ_tenfold_have_a_logarithmic_axis)
{
    Curve *c = curve_new(0.5);
    curve_add(&c->evaluated, 0, 7);
    curve_add(&c->evaluated, 10, 0.71);
    Axis axis = curve_losses(c, 6);
    assert_false(axis.log);
    assert_true(curve_shows(&axis, c->floor));
    curve_add(&c->loss, 10, 0.69);
    axis = curve_losses(c, 6);
    assert_true(axis.log && curve_shows(&axis, c->floor));
    c->floor = 0; /* logarithms have no place for it, */
    axis = curve_losses(c, 6);
    assert_true(axis.log && !curve_shows(&axis, c->floor));
    char *figure = figure_of(c);
    assert_int_equal(count_parts(figure, "0, is below this chart"), 1); /* but the key has it */
    free(figure);
    curve_add(&c->loss, 11, 0); /* a loss may also be 0 */
    axis = curve_losses(c, 6);
    assert_true(axis.log && axis.low > 0);
    free(c);
}

/* ---- The figure ---- */

/* Every element is closed, no number is NAN or infinite, and no name becomes markup. */
static void assert_is_whole(const Curve *curve)
{
    char *figure = figure_of(curve);
    assert_memory_equal(figure, "<svg ", 5);
    assert_string_equal(figure + strlen(figure) - 7, "</svg>\n");
    assert_int_equal(count_parts(figure, "<g"), count_parts(figure, "</g>"));
    assert_int_equal(count_parts(figure, "<text"), count_parts(figure, "</text>"));
    assert_int_equal(count_parts(figure, "nan") + count_parts(figure, "inf"), 0);
    assert_int_equal(count_parts(figure, "-0<"), 0);
    assert_int_equal(count_parts(figure, "<b>"), 0);
    assert_int_equal(count_parts(figure, "runs/&lt;b&gt;&amp;"), 1);
    free(figure);
}

TEST(a_figure_is_whole_whatever_the_log_holds)
{
    const double values[] = {0, 1e-12, 0.5, 3, 1e30};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            for (int floor = 0; floor < 3; floor++) {
                Curve *c = curve_new(floor == 2 ? (double)NAN : floor);
                curve_add(&c->evaluated, 0, values[a]); /* one row, as of --steps 0 */
                assert_is_whole(c);
                curve_add(&c->loss, 1, values[b]);
                curve_add(&c->rate, 1, 0.01);
                assert_is_whole(c);
                curve_add(&c->loss, 2000000000, values[a]);
                assert_is_whole(c);
                free(c);
            }
}

/* The axis has room for it, whether the losses are above it or below. */
TEST(counting_is_a_line_with_a_name)
{
    for (int i = 0; i < 3; i++) {
        Curve *c = curve_new(NAN);
        c->counting = (const double[]){1, 6, 0.001}[i];
        curve_add(&c->evaluated, 1, 5);
        curve_add(&c->evaluated, 2, i < 2 ? 4 : 0.04);
        const Axis axis = curve_losses(c, 6);
        CurveName names[CURVE_KINDS];
        assert_int_equal(curve_shows(&axis, c->counting), i < 2);
        assert_int_equal(curve_names(c, &axis, 100, 14, names), i < 2 ? 2 : 1);
        assert_is_whole(c);
        char *figure = figure_of(c);
        assert_int_equal(count_parts(figure, ">counting 1<"), i == 0);
        assert_int_equal(count_parts(figure, ">counting: its loss"), 1);
        assert_int_equal(count_parts(figure, "is below this chart"), i == 2);
        free(figure);
        free(c);
    }
}

/* The best evaluation has a circle of its own if the last one is worse. */
TEST(the_best_evaluation_is_marked)
{
    Curve *c = curve_new(NAN);
    curve_add(&c->evaluated, 1, 5);
    curve_add(&c->evaluated, 2, 4);
    char *figure = figure_of(c);
    assert_int_equal(count_parts(figure, "<circle"), 2);
    free(figure);
    curve_add(&c->evaluated, 3, 4.5);
    figure = figure_of(c);
    assert_int_equal(count_parts(figure, "<circle"), 4);
    assert_int_equal(count_parts(figure, "held-out: the least is 4, after step 2"), 1);
    free(figure);
    free(c);
}

TEST(the_end_of_a_line_is_that_of_its_last_point)
{
    Curve *c = curve_new(NAN);
    CurveName names[CURVE_KINDS];
    for (int64_t step = 0; step <= CURVE_POINTS; step++) {
        curve_add(&c->loss, step, 2);
        const Axis axis = curve_losses(c, 6);
        assert_int_equal(curve_names(c, &axis, 100, 14, names), 1);
        assert_true(names[0].value == 2);
    }
    curve_add(&c->loss, CURVE_POINTS + 1, 3); /* two steps are one point now */
    const Axis axis = curve_losses(c, 6);
    curve_names(c, &axis, 100, 14, names);
    assert_true(names[0].value == 2.5);
    free(c);
}

/* At the foot of the chart, and at its top. */
TEST(names_of_equal_ends_do_not_overlap)
{
    static const double ends[] = {0.4, 1};
    for (int e = 0; e < 2; e++) {
        Curve *c = curve_new(0.4);
        for (int64_t step = 1; step < 3; step++) {
            curve_add(&c->loss, step, step == 1 ? 1.4 - ends[e] : ends[e]);
            curve_add(&c->evaluated, step, step == 1 ? 1.4 - ends[e] : ends[e]);
        }
        const Axis axis = curve_losses(c, 6);
        CurveName names[CURVE_KINDS];
        assert_int_equal(curve_names(c, &axis, 100, 14, names), 3);
        for (int i = 1; i < 3; i++)
            assert_true(names[i].y >= names[i - 1].y + 14);
        assert_true(names[0].y >= 0 && names[2].y <= 100);
        free(c);
    }
}
