/* sort.c: a merge sort. Both halves are sorted; then the left one is copied, and the two are merged
 * into the list. */
#include "sort.h"

#include "base.h"

typedef struct {
    size_t size; /* of an element */
    SortOrder *order;
    void *context;
    char *room; /* for half of the list */
} Sorting;

static void sort_part(const Sorting *s, char *list, size_t count)
{
    const size_t half = count / 2, size = s->size;
    char *right = list + half * size, *const end = list + count * size, *out = list;
    if (count < 2)
        return;
    sort_part(s, list, half);
    sort_part(s, right, count - half);
    if (s->order(right - size, right, s->context) <= 0)
        return;
    char *left = memcpy(s->room, list, half * size), *const left_end = left + half * size;
    while (left < left_end && right < end) {
        char **next = s->order(left, right, s->context) <= 0 ? &left : &right;
        out = (char *)memcpy(out, *next, size) + size;
        *next += size;
    }
    memcpy(out, left, (size_t)(left_end - left));
}

void sort_within(void *list, size_t count, size_t size, SortOrder *order, void *context)
{
    const Sorting sorting = {size, order, context, memory_take(count / 2 * size)};
    sort_part(&sorting, list, count);
    free(sorting.room);
}
