/* sort.h: qsort() whose comparison gets a context: the systems have it in different forms, or not
 * at all. Of equal elements the first stays the first. */
#ifndef PULGA_SORT_H
#define PULGA_SORT_H

#include <stddef.h>

typedef int SortOrder(const void *a, const void *b, void *context);

void sort_within(void *list, size_t count, size_t size, SortOrder *order, void *context);

#endif
