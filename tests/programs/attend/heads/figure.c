/* figure.c: a figure has a cell for each key that a query attends to and no other, and no word of a
 * text becomes markup. */
#include "tests/helpers/close.h"

#include "programs/attend/heads/figure.h"
#include "programs/pictures/svg.h"
#include "tests/helpers/maps.h"

TEST(a_figure_has_a_cell_for_each_pair)
{
    const Pattern patterns[] = {W(0), W(2), W(0), STRIDED(2)};
    Heads heads = maps_new(12, 4, patterns, NULL);
    maps_see_prefix(&heads, 2, 12);
    char *figure = maps_written(heads_figure, &heads);
    assert_memory_equal(figure, SVG_BEGIN, strlen(SVG_BEGIN));
    /* beside the cells: the ground, a hatched square for each panel, the hatching's own ground, the
     * scale of colours, and the hatching beside it */
    assert_int_equal(count_parts(figure, "<rect "), (int)heads_pairs(&heads) + 1 + 4 + 1 + 64 + 1);
    assert_int_equal(count_parts(figure, "&lt;b&gt;"), 6 * 5 + 1); /* on five axes, and the text */
    assert_int_equal(count_parts(figure, "<b>"), 0);
    assert_int_equal(count_parts(figure, "layer 1, head 2"), 1);
    assert_int_equal(count_parts(figure, "<g"), count_parts(figure, "</g>"));
    assert_int_equal(count_parts(figure, "nan"), 0);
    free(figure);
    heads_free(&heads);
}

/* Cells are 30 wide: the lines are at 3 · 30, and the names on both sides of them. */
TEST(a_pair_has_lines_and_names_between_its_sides)
{
    const Pattern patterns[] = {W(0), W(2)};
    Heads heads = maps_new(5, 2, patterns, NULL);
    char *figure = maps_written(heads_figure, &heads);
    assert_int_equal(count_parts(figure, ">source<") + count_parts(figure, ">target<"), 0);
    free(figure);
    heads.source = 3;
    figure = maps_written(heads_figure, &heads);
    assert_int_equal(count_parts(figure, "<path d=\"M90 0V168M"), 2); /* for each panel */
    assert_int_equal(count_parts(figure, "M0 90H150\""), 1);          /* from its edge, or */
    assert_int_equal(count_parts(figure, " 90H150\""), 2);            /* under the words */
    assert_int_equal(count_parts(figure, "text-anchor=\"end\">source<"), 2);
    assert_int_equal(count_parts(figure, ">source<"), 3); /* below both, beside the words once */
    assert_int_equal(count_parts(figure, ">target<"), 3);
    assert_int_equal(count_parts(figure, "<g"), count_parts(figure, "</g>"));
    free(figure);
    heads_free(&heads);
}
