/* floor.c: all places of the training text are sorted by what a model sees there, so that those
 * which look alike lie together. No model can have a smaller loss over such a group than its
 * entropy. */
#include "floor.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/threads.h"

/* A row that counts, at some position of its piece: it is to predict the target. */
typedef struct {
    size_t at;
    int token, target; /* token: the one at `at` */
} Place;

/* What a comparison of two places of the same position needs to know. */
typedef struct {
    const Ids *ids;
    const int *back; /* (seen) how far back each token stands that the model sees, but the last */
    int seen;
} View;

/* Orders places by what a model sees there, the last token first. */
static int compare_seen(const Place *a, const Place *b, const View *view)
{
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    for (int i = 0; i < view->seen; i++) {
        const int x = ids_at(view->ids, a->at - (size_t)view->back[i]);
        const int y = ids_at(view->ids, b->at - (size_t)view->back[i]);
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

/* The same over all places of a position, in any order. */
static double entropy_at(Place *places, size_t count, View view)
{
    double sum = 0;
    qsort_r(places, count, sizeof *places, compare, &view);
    for (size_t i = 0, alike; i < count; i += alike) {
        for (alike = 1; i + alike < count && !compare_seen(&places[i], &places[i + alike], &view);)
            alike++;
        sum += entropy(places + i, alike);
    }
    return sum;
}

/* Calls `put` for each row that counts. */
typedef void PutRow(void *context, size_t at, ObjectiveRow row);
static void each_row(const Corpus *corpus, PutRow *put, void *context)
{
    int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting");
    for (size_t p = 0; p < corpus->train.count; p++) {
        const Piece piece = corpus_piece(corpus, &corpus->train, p);
        ids_read(&corpus->ids, piece.from, piece.length + 1, tokens);
        for (int i = 0; i < (int)piece.length; i++) {
            const ObjectiveRow row = objective_row(corpus->objective, tokens, i);
            if (row.target >= 0)
                put(context, piece.from + (size_t)i, row);
        }
    }
    free(tokens);
}

/* All places, those of each position together. */
typedef struct {
    Place *places;
    size_t *end; /* (T + 1) where those of each position end */
} Positions;

static void count_position(void *context, size_t at, ObjectiveRow row)
{
    (void)at;
    ((Positions *)context)->end[row.position + 1]++;
}

static void put_place(void *context, size_t at, ObjectiveRow row)
{
    Positions *p = context;
    p->places[p->end[row.position]++] = (Place){at, row.input, row.target};
}

/* What a model sees at a position of a sequence: its patterns decide. `back` has room for as many
 * numbers. */
static View view_at(const Ids *ids, int position, const Pattern *patterns, int layers, int heads,
                    int *back)
{
    View view = {ids, back, 0};
    bool *reach = memory_new((size_t)position + 1, sizeof *reach, "counting the floor");
    pattern_reach(patterns, layers, heads, position, 0, reach);
    for (int i = 1; i <= position; i++)
        if (reach[position - i])
            back[view.seen++] = i;
    free(reach);
    return view;
}

/* The positions are independent: each is sorted by one thread, and their sums are added in
 * order. */
double floor_of(const Corpus *corpus, const Pattern *patterns, int layers, int heads, int *seen)
{
    const int T = (int)min_int64((int64_t)corpus->longest, corpus->context);
    Positions p = {memory_new(corpus->train.targets, sizeof *p.places, "counting the floor"),
                   memory_new((size_t)T + 1, sizeof *p.end, "counting the floor")};
    double *sums = memory_new((size_t)T, sizeof *sums, "counting the floor"), sum = 0;
    bool all = true;
    int most = 0;
    each_row(corpus, count_position, &p); /* end[i + 1] counts position i ... */
    for (int i = 0; i < T; i++)
        p.end[i + 1] += p.end[i];    /* ... so now position i begins at end[i] ... */
    each_row(corpus, put_place, &p); /* ... and now it ends there */
    OMP(parallel for schedule(dynamic) reduction(max : most) reduction(&& : all)
        if (corpus->train.targets > 1 << 12))
    for (int i = 0; i < T; i++) {
        int *back = memory_new((size_t)i + 1, sizeof *back, "counting the floor");
        const size_t begin = i ? p.end[i - 1] : 0;
        const View view = view_at(&corpus->ids, i, patterns, layers, heads, back);
        sums[i] = entropy_at(p.places + begin, p.end[i] - begin, view);
        most = max_int(most, view.seen + 1);
        all = all && view.seen == i;
        free(back);
    }
    for (int i = 0; i < T; i++)
        sum += sums[i];
    sum /= (double)p.end[T - 1];
    *seen = all ? 0 : most;
    free(p.places);
    free(p.end);
    free(sums);
    return sum;
}

/* Each thread counts some of the pieces. If a few tokens are frequent, one count would have to wait
 * for the one before it: four are kept of each token. */
static void count_targets(const Corpus *corpus, size_t *seen, int vocabulary)
{
    OMP(parallel if (corpus->train.targets > 1 << 16))
    {
        const size_t V = (size_t)vocabulary;
        size_t *own = memory_new(4 * V, sizeof *own, "counting words");
        int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting words");
        OMP(for schedule(static))
        for (size_t p = 0; p < corpus->train.count; p++) {
            const Piece piece = corpus_piece(corpus, &corpus->train, p);
            ids_read(&corpus->ids, piece.from, piece.length + 1, tokens);
            for (int i = 0; i < (int)piece.length; i++) {
                const int target = objective_row(corpus->objective, tokens, i).target;
                if (target >= 0)
                    own[(size_t)(i % 4) * V + (size_t)target]++;
            }
        }
        OMP(critical)
        for (size_t v = 0; v < 4 * V; v++)
            seen[v % V] += own[v];
        free(tokens);
        free(own);
    }
}

double floor_unigram(const Corpus *corpus, int vocabulary)
{
    size_t *seen = memory_new((size_t)vocabulary, sizeof *seen, "counting words"), all = 0;
    count_targets(corpus, seen, vocabulary);
    for (int v = 0; v < vocabulary; v++)
        all += seen[v];
    double sum = 0;
    for (int v = 0; v < vocabulary; v++)
        if (seen[v])
            sum -= (double)seen[v] * log((double)seen[v] / (double)all);
    free(seen);
    return sum / (double)all;
}
