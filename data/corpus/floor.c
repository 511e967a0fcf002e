/* floor.c: see floor.h. */
#include "floor.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* A target is the token behind `at`; the tokens from at − position to at come before it. */
typedef struct {
    size_t at;
    int position;
} Place;

typedef struct {
    const int *tokens;
    int reach;
} View;

/* Orders places by what a model sees there: the position, then the tokens, the last one first. */
static int compare_seen(const Place *a, const Place *b, const View *view)
{
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    const int seen = a->position < view->reach ? a->position + 1 : view->reach;
    for (int back = 0; back < seen; back++) {
        const int x = view->tokens[a->at - (size_t)back], y = view->tokens[b->at - (size_t)back];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare(const void *a, const void *b, void *context)
{
    const View *view = context;
    const Place *x = a, *y = b;
    const int seen = compare_seen(x, y, view);
    const int next_x = view->tokens[x->at + 1], next_y = view->tokens[y->at + 1];
    return seen ? seen : (next_x > next_y) - (next_x < next_y);
}

/* The sum of −ln of the relative frequencies over the places [0, count), which all see the same
 * and are ordered by what follows. */
static double surprise(const Place *places, size_t count, const int *tokens)
{
    double sum = 0;
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1;
             i + same < count && tokens[places[i + same].at + 1] == tokens[places[i].at + 1];)
            same++;
        sum -= (double)same * log((double)same / (double)count);
    }
    return sum;
}

double floor_of(const Corpus *corpus, int reach)
{
    View view = {corpus->tokens, reach == REACH_ALL ? INT_MAX : reach};
    Place *places = memory_new(corpus->train_targets, sizeof *places, "counting the floor");
    size_t count = 0;
    for (ptrdiff_t p = 0; p < arrlen(corpus->train); p++)
        for (int i = 0; i < corpus->train[p].length; i++)
            places[count++] = (Place){corpus->train[p].from + (size_t)i, i};
    qsort_r(places, count, sizeof *places, compare, &view);

    double sum = 0;
    for (size_t i = 0, alike; i < count; i += alike) {
        for (alike = 1; i + alike < count && !compare_seen(&places[i], &places[i + alike], &view);)
            alike++;
        sum += surprise(places + i, alike, corpus->tokens);
    }
    free(places);
    return sum / (double)count;
}

double floor_unigram(const Corpus *corpus, int vocabulary)
{
    size_t *seen = memory_new((size_t)vocabulary, sizeof *seen, "counting words");
    const size_t all = corpus->train_targets;
    for (ptrdiff_t p = 0; p < arrlen(corpus->train); p++)
        for (int i = 0; i < corpus->train[p].length; i++)
            seen[corpus->tokens[corpus->train[p].from + (size_t)i + 1]]++;
    double sum = 0;
    for (int v = 0; v < vocabulary; v++)
        if (seen[v])
            sum -= (double)seen[v] * log((double)seen[v] / (double)all);
    free(seen);
    return sum / (double)all;
}
