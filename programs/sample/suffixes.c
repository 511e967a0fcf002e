/* suffixes.c: at the end of the text a place has fewer tokens than others; it comes before those
 * that go on. */
#include "suffixes.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/system/system.h"

/* By the tokens, and of places that have the same ones by where they are. */
static int compare_places(const void *a, const void *b, void *context)
{
    const Suffixes *s = context;
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const size_t later = one > other ? one : other;
    for (size_t i = 0; i < (size_t)s->longest && later + i < s->ids->count; i++) {
        const int x = ids_at(s->ids, one + i), y = ids_at(s->ids, other + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return one == other ? 0 : one == later ? -1 : 1; /* the later one has fewer tokens */
}

Suffixes suffixes_new(const Corpus *corpus, int longest)
{
    Suffixes s = {.ids = &corpus->ids, .longest = longest};
    s.places = memory_new(corpus->ids.count, sizeof *s.places, "the places of the text");
    for (size_t i = 0; i < corpus->ids.count; i++)
        s.places[i] = i;
    system_sort(s.places, corpus->ids.count, sizeof *s.places, compare_places, &s);
    return s;
}

void suffixes_free(Suffixes *s)
{
    free(s->places);
}

/* Whether a place comes before all places with these tokens: below 0; after them: above 0; or has
 * them: 0. */
static int compare_tokens(const Suffixes *s, size_t place, const int *tokens, int count)
{
    for (size_t i = 0; i < (size_t)count; i++) {
        const int id = place + i < s->ids->count ? ids_at(s->ids, place + i) : -1;
        if (id != tokens[i])
            return id < tokens[i] ? -1 : 1;
    }
    return 0;
}

/* How many places come before those with these tokens or, if `with`, before or among them. */
static size_t places_before(const Suffixes *s, const int *tokens, int count, bool with)
{
    size_t from = 0, end = s->ids->count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (compare_tokens(s, s->places[middle], tokens, count) < with)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

size_t suffixes_count(const Suffixes *s, const int *tokens, int count)
{
    return places_before(s, tokens, count, true) - places_before(s, tokens, count, false);
}

/* A shorter end goes on wherever a longer one does, so a binary search finds the longest. If the
 * text ends with one, nothing follows there. */
int suffixes_longest(const Suffixes *s, const int *tokens, int count, size_t *times)
{
    int longest = 0, most = count;
    *times = s->ids->count;
    while (longest < most) {
        const int length = most - (most - longest) / 2;
        const int *end = tokens + count - length;
        size_t found = suffixes_count(s, end, length);
        if (found && !compare_tokens(s, s->ids->count - (size_t)length, end, length))
            found--;
        if (found) {
            longest = length;
            *times = found;
        } else
            most = length - 1;
    }
    return longest;
}
