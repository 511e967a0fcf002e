/* sort.c (test): a list is sorted by its comparison, and equal elements keep their order. */
#include "base/sort.h"
#include "tests/helpers/test.h"

typedef struct {
    int key, place;
} Element;

/* By the rest of the keys, which the context divides. */
static int compare(const void *a, const void *b, void *context)
{
    const int by = *(const int *)context;
    const int x = ((const Element *)a)->key % by, y = ((const Element *)b)->key % by;
    return (x > y) - (x < y);
}

TEST(a_list_is_sorted_and_equal_elements_stay_in_order)
{
    static const int counts[] = {0, 1, 2, 3, 7, 64, 1000, 12345};
    static Element list[12345];
    for (size_t n = 0; n < COUNT_OF(counts); n++)
        for (int by = 1; by < 100000; by *= 17) {
            for (int i = 0; i < counts[n]; i++)
                list[i] = (Element){(int)(i * 7919L % 104729), i};
            sort_within(list, (size_t)counts[n], sizeof *list, compare, &by);
            bool found[12345] = {false};
            for (int i = 0; i < counts[n]; i++) {
                assert_int_equal(list[i].key, list[i].place * 7919L % 104729);
                assert_false(found[list[i].place]);
                found[list[i].place] = true;
                const int order = i ? compare(&list[i - 1], &list[i], &by) : -1;
                assert_true(order < 0 || (order == 0 && list[i - 1].place < list[i].place));
            }
        }
}
