/* ids.h: the ids of a text, in two bytes each if the vocabulary has at most 65,536 tokens, else in
 * four. They belong to a store. */
#ifndef PULGA_IDS_H
#define PULGA_IDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const void *at; /* (count) */
    int width;      /* bytes of each */
    size_t count;
} Ids;

static inline int ids_width(int vocabulary)
{
    return vocabulary <= 1 << 16 ? 2 : 4;
}

static inline int ids_at(const Ids *ids, size_t i)
{
    return ids->width == 2 ? ((const uint16_t *)ids->at)[i] : ((const int32_t *)ids->at)[i];
}

/* The ids [from, from + count). */
static inline void ids_read(const Ids *ids, size_t from, size_t count, int *out)
{
    const uint16_t *narrow = (const uint16_t *)ids->at + from;
    if (ids->width == 2)
        for (size_t i = 0; i < count; i++)
            out[i] = narrow[i];
    else
        memcpy(out, (const int32_t *)ids->at + from, count * sizeof *out);
}

/* Makes ids of this width of ints, at the same place. */
static inline void ids_pack(int *ids, size_t count, int width)
{
    uint16_t *narrow = (void *)ids;
    for (size_t i = 0; width == 2 && i < count; i++) {
        const uint16_t id = (uint16_t)ids[i];
        memcpy(&narrow[i], &id, sizeof id); /* not an int any more */
    }
}

/* Makes ints of ids of this width, at the same place; returns the largest. From the last one on: no
 * int covers an id that is still to come. */
static inline uint32_t ids_unpack(int *ids, size_t count, int width)
{
    const uint16_t *narrow = (const void *)ids;
    uint32_t largest = 0;
    for (size_t i = count; i-- > 0;) {
        uint16_t id;
        if (width == 2) {
            memcpy(&id, &narrow[i], sizeof id); /* not an int yet */
            ids[i] = id;
        }
        largest = (uint32_t)ids[i] > largest ? (uint32_t)ids[i] : largest;
    }
    return largest;
}

#endif
