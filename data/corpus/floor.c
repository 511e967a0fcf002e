/* floor.c: all places of the training text are sorted by what a model sees there, so that those
 * which look alike lie together. No model can have a smaller loss over such a group than its
 * entropy. */
#include "floor.h"

#include <math.h>
#include <stdlib.h>
#include <stb/stb_ds.h>

#include "base/base.h"

/* A row that counts: it sees the tokens from at − position to at, and is to predict the target. */
typedef struct {
    size_t at;
    int position, target;
} Place;

/* What a comparison of two places needs to know. */
typedef struct {
    const int *tokens; /* of the corpus */
    int reach;         /* how many of them a model sees at most */
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

/* By what is seen and then by target, so that equal targets lie together too. */
static int compare(const void *a, const void *b, void *context)
{
    const Place *x = a, *y = b;
    const int seen = compare_seen(x, y, context);
    return seen ? seen : (x->target > y->target) - (x->target < y->target);
}

/* The sum of −ln of the relative frequencies over places that all see the same and are ordered by
 * their targets. */
static double entropy(const Place *places, size_t count)
{
    double sum = 0;
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && places[i + same].target == places[i].target;)
            same++;
        sum -= (double)same * log((double)same / (double)count);
    }
    return sum;
}

/* The row i of a piece. */
static ObjectiveRow row_of(const Corpus *corpus, Piece piece, int i)
{
    return objective_row(corpus->objective, corpus->tokens + piece.from, i);
}

double floor_of(const Corpus *corpus, int reach)
{
    View view = {corpus->tokens, reach};
    Place *places = memory_new(corpus->train_targets, sizeof *places, "counting the floor");
    size_t count = 0;
    for (ptrdiff_t p = 0; p < arrlen(corpus->train); p++)
        for (int i = 0; i < corpus->train[p].length; i++) {
            const ObjectiveRow row = row_of(corpus, corpus->train[p], i);
            if (row.target >= 0)
                places[count++] =
                    (Place){corpus->train[p].from + (size_t)i, row.position, row.target};
        }
    qsort_r(places, count, sizeof *places, compare, &view);

    double sum = 0;
    for (size_t i = 0, alike; i < count; i += alike) {
        for (alike = 1; i + alike < count && !compare_seen(&places[i], &places[i + alike], &view);)
            alike++;
        sum += entropy(places + i, alike);
    }
    free(places);
    return sum / (double)count;
}

double floor_unigram(const Corpus *corpus, int vocabulary)
{
    size_t *seen = memory_new((size_t)vocabulary, sizeof *seen, "counting words"), all = 0;
    for (ptrdiff_t p = 0; p < arrlen(corpus->train); p++)
        for (int i = 0; i < corpus->train[p].length; i++) {
            const int target = row_of(corpus, corpus->train[p], i).target;
            if (target >= 0) {
                seen[target]++;
                all++;
            }
        }
    double sum = 0;
    for (int v = 0; v < vocabulary; v++)
        if (seen[v])
            sum -= (double)seen[v] * log((double)seen[v] / (double)all);
    free(seen);
    return sum / (double)all;
}
