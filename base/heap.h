/* heap.h: a heap in an array: entry i comes before its children, the entries 2i + 1 and 2i + 2, so
 * the first of all is on top. */
#ifndef PULGA_HEAP_H
#define PULGA_HEAP_H

#include <stb/stb_ds.h>
#include <stddef.h>

/* Defines functions for entries of a type; comes_first(a, b) gets pointers to two. heap_sink()
 * moves the entry at `at` down to its place, in a heap of `count` entries. heap_put() and
 * heap_take(), which takes the first, are for heaps that are stb_ds arrays. */
#define HEAP(Type, comes_first)                                                   \
    static inline void heap_sink(Type *heap, size_t count, size_t at)             \
    {                                                                             \
        const Type entry = heap[at];                                              \
        for (size_t child; (child = 2 * at + 1) < count; at = child) {            \
            if (child + 1 < count && comes_first(&heap[child + 1], &heap[child])) \
                child++;                                                          \
            if (!comes_first(&heap[child], &entry))                               \
                break;                                                            \
            heap[at] = heap[child];                                               \
        }                                                                         \
        heap[at] = entry;                                                         \
    }                                                                             \
    __attribute__((unused)) static inline void heap_put(Type **array, Type entry) \
    {                                                                             \
        arrput(*array, entry);                                                    \
        Type *heap = *array;                                                      \
        size_t at = arrlenu(heap) - 1;                                            \
        for (; at && comes_first(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2) \
            heap[at] = heap[(at - 1) / 2];                                        \
        heap[at] = entry;                                                         \
    }                                                                             \
    __attribute__((unused)) static inline Type heap_take(Type *heap)              \
    {                                                                             \
        const Type first = heap[0], last = arrpop(heap);                          \
        if (arrlen(heap)) {                                                       \
            heap[0] = last;                                                       \
            heap_sink(heap, arrlenu(heap), 0);                                    \
        }                                                                         \
        return first;                                                             \
    }

#endif
