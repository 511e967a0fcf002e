/* figure.c: a figure has a cell for each key that a query attends to and no other, and no word of a
 * text becomes markup. */
#include "tests/helpers/close.h"

#include <stdlib.h>
#include <string.h>

#include "pictures/figure.h"
#include "tests/helpers/maps.h"

static void a_figure_has_a_cell_for_each_pair(void **state)
{
    (void)state;
    const Pattern patterns[] = {W(0), W(2), W(0), W(0)};
    Heads heads = maps_new(12, 4, patterns, NULL);
    maps_see_all(&heads, 2);
    maps_stride(&heads, 3);
    char *figure = maps_written(figure_write, &heads);
    assert_memory_equal(figure, FIGURE_BEGIN, strlen(FIGURE_BEGIN));
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_figure_has_a_cell_for_each_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
