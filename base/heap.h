/* heap.h: a heap in an array: entry i comes before its children, the entries 2i + 1 and 2i + 2, so
 * the first of all is on top. */
#ifndef PULGA_HEAP_H
#define PULGA_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Defines heap_sink() and heap_rise() for entries of a type; comes_first(a, b) gets pointers to
 * two. heap_sink() moves the entry at `at` down to its place, in a heap of `count` entries;
 * heap_rise() moves it up. */
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
    static inline void heap_rise(Type *heap, size_t at)                           \
    {                                                                             \
        const Type entry = heap[at];                                              \
        for (; at && comes_first(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2) \
            heap[at] = heap[(at - 1) / 2];                                        \
        heap[at] = entry;                                                         \
    }

#endif
