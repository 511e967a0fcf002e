/* floor.c: all places of the training text are sorted by what a model sees there, so that those
 * which look alike lie together. No model can have a smaller loss over such a group than its
 * entropy. */
#include "floor.h"

#include <assert.h>
#include <stb/stb_ds.h>

#include "base/base.h"
#include "base/numbers/elementary.h"
#include "base/parallel/threads.h"
#include "base/sort.h"

/* A row that counts, at some position of its sequence: it is to predict the target. In 16 bytes,
 * since there is one for each target; the ids of a text whose floor is counted fit in 32 bits. */
typedef struct {
    uint32_t at;
    int token, target; /* token: the one at `at`, or 0 if that is hidden */
    int view;          /* at first the prefix of its sequence, then the number of what it sees */
} Place;

/* What a model sees at a position: the tokens so far from it. */
typedef struct {
    int *offsets; /* stb_ds array */
    int prefix;   /* of a sequence that is seen so */
} View;

/* What a comparison of two places of the same position needs to know, and the memory that sorting
 * them takes. */
typedef struct {
    const Ids *ids;
    const View *views;
    int limit;    /* above all numbers of views and of tokens */
    Place *room;  /* (places of the position) */
    size_t *ends; /* (limit + 1) */
} Sight;

/* Orders places by what a model sees there. Those that see in other ways are not alike. */
static int compare_seen(const Place *a, const Place *b, const Sight *sight)
{
    if (a->view != b->view)
        return a->view < b->view ? -1 : 1;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    const int *offsets = sight->views[a->view].offsets;
    for (ptrdiff_t i = 0; i < arrlen(offsets); i++) {
        const int x = ids_at(sight->ids, (size_t)((int64_t)a->at + offsets[i]));
        const int y = ids_at(sight->ids, (size_t)((int64_t)b->at + offsets[i]));
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Orders places by what is seen and then by target, so that equal targets are also together. */
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
        sum -= (double)same * elementary_log((double)same / (double)count);
    }
    return sum;
}

/* How many numbers a comparison of places looks at that see in the same way; and number `n` of
 * them: the view, the token, what is seen farther and farther away, the target. */
static ptrdiff_t numbers_of(const Place *place, const Sight *sight)
{
    return arrlen(sight->views[place->view].offsets) + 3;
}

static int number_at(const Place *place, ptrdiff_t n, const Sight *sight)
{
    if (n < 2)
        return n ? place->token : place->view;
    const int *offsets = sight->views[place->view].offsets;
    return n - 2 == arrlen(offsets)
               ? place->target
               : ids_at(sight->ids, (size_t)((int64_t)place->at + offsets[n - 2]));
}

/* Sorts places whose first n numbers are alike: many of them by counting how often they have each
 * next number, few by comparing. */
static void sort_places(Place *places, size_t count, ptrdiff_t n, const Sight *sight)
{
    assert(sight->views);
    if (n == numbers_of(places, sight))
        return;
    if (count < (size_t)sight->limit) {
        sort_within(places, count, sizeof *places, compare, (void *)sight);
        return;
    }
    memset(sight->ends, 0, ((size_t)sight->limit + 1) * sizeof *sight->ends);
    for (size_t i = 0; i < count; i++)
        sight->ends[number_at(&places[i], n, sight) + 1]++;
    for (int number = 0; number < sight->limit; number++)
        sight->ends[number + 1] += sight->ends[number];
    for (size_t i = 0; i < count; i++)
        sight->room[sight->ends[number_at(&places[i], n, sight)]++] = places[i];
    memcpy(places, sight->room, count * sizeof *places);
    for (size_t i = 0, end; i < count; i = end) {
        const int number = number_at(&places[i], n, sight);
        for (end = i + 1; end < count && number_at(&places[end], n, sight) == number;)
            end++;
        sort_places(places + i, end - i, n + 1, sight);
    }
}

/* The sum over all places of a position, which come in any order. */
static double entropy_at(Place *places, size_t count, Sight sight)
{
    double sum = 0;
    AUTOFREE Place *room = memory_take(count * sizeof *room);
    AUTOFREE size_t *ends = memory_take(((size_t)sight.limit + 1) * sizeof *ends);
    sight.room = room;
    sight.ends = ends;
    if (count)
        sort_places(places, count, 0, &sight);
    for (size_t i = 0, alike; i < count; i += alike) {
        for (alike = 1; i + alike < count && !compare_seen(&places[i], &places[i + alike], &sight);)
            alike++;
        sum += entropy(places + i, alike);
    }
    return sum;
}

/* ---- Places ---- */

/* Lists each row that counts at its position, the index in its sequence: `end` (T + 1) is where
 * those of each position end so far. Without `places`, only counts the rows of each position, one
 * place further. */
static void list_rows(const Corpus *corpus, Place *places, size_t *end)
{
    AUTOFREE int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting");
    const bool hides = corpus->objective.kind == OBJECTIVE_MASKED;
    for (size_t n = 0; n < corpus->train.count; n++) {
        const Piece piece = corpus_piece(corpus, &corpus->train, n);
        const Sequence sequence = corpus_sequence(corpus, piece, tokens);
        for (int i = sequence.first; i < sequence.rows; i++) {
            const int target = objective_target(&corpus->objective, &sequence, i);
            if (target >= 0 && !places)
                end[i + 1]++;
            else if (target >= 0)
                places[end[i]++] = (Place){(uint32_t)piece.from + (uint32_t)i,
                                           hides ? 0 : tokens[i], target, sequence.prefix};
        }
    }
}

/* ---- What is seen ---- */

/* A model, and how its sequences are seen. */
typedef struct {
    const Pattern *patterns;
    int layers, heads;
    bool hides; /* the token to predict */
} Eyes;

/* What a model sees at a position of a sequence that begins with this prefix, but for the token
 * there, which the place has. Returns whether it is all that it could see. */
static bool view_of(View *view, const Eyes *eyes, int position, int prefix)
{
    const int limit = key_limit(position, prefix);
    AUTOFREE bool *reach = memory_new((size_t)limit, sizeof *reach, "counting the floor");
    bool all = true;
    pattern_reach(eyes->patterns, eyes->layers, eyes->heads, position, prefix, reach);
    *view = (View){.prefix = prefix};
    for (int i = limit - 1; i >= 0; i--) {
        all = all && reach[i];
        if (reach[i] && i != position)
            arrput(view->offsets, i - position);
    }
    return all;
}

/* Whether the same tokens look the same at a position after two prefixes. */
static bool views_equal(const Eyes *eyes, int position, const View *a, const View *b)
{
    const size_t count = arrlenu(a->offsets);
    return count == arrlenu(b->offsets) &&
           (!count || !memcmp(a->offsets, b->offsets, count * sizeof *a->offsets)) &&
           !pattern_tells_apart(eyes->patterns, eyes->layers, eyes->heads, position, a->prefix,
                                b->prefix);
}

/* The number of a view: that of an equal one, or the next one. */
static int number_of(View **views, View view, const Eyes *eyes, int position)
{
    for (int i = 0; i < (int)arrlen(*views); i++)
        if (views_equal(eyes, position, &(*views)[i], &view)) {
            arrfree(view.offsets);
            return i;
        }
    arrput(*views, view);
    return (int)arrlen(*views) - 1;
}

/* The entropy of all places of a position. *most becomes how many tokens are seen there at most,
 * *all whether nothing that could be seen is not. */
static double entropy_of(const Corpus *corpus, Place *places, size_t count, int position,
                         const Eyes *eyes, int *most, bool *all)
{
    View *views = NULL;  /* stb_ds array */
    int *numbers = NULL; /* stb_ds array: of each prefix, from 1; 0: not known yet */
    *all = true;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t prefix = (size_t)places[i].view;
        while (arrlenu(numbers) <= prefix)
            arrput(numbers, 0);
        assert(numbers);
        if (!numbers[prefix]) {
            View view;
            *all = view_of(&view, eyes, position, (int)prefix) && *all;
            *most = max_int(*most, (int)arrlen(view.offsets) + !eyes->hides);
            numbers[prefix] = 1 + number_of(&views, view, eyes, position);
        }
        places[i].view = numbers[prefix] - 1;
    }
    const Sight sight = {&corpus->ids, views, max_int(corpus->vocabulary, (int)arrlen(views)), NULL,
                         NULL};
    const double sum = entropy_at(places, count, sight);
    for (ptrdiff_t i = 0; i < arrlen(views); i++)
        arrfree(views[i].offsets);
    arrfree(views);
    arrfree(numbers);
    return sum;
}

/* The positions are independent: each is sorted by one thread, and their sums are added in
 * order. */
double floor_of(const Corpus *corpus, const Pattern *patterns, int layers, int heads, int *seen)
{
    const int T = (int)min_int64((int64_t)corpus->longest, corpus->context);
    const Eyes eyes = {patterns, layers, heads, corpus->objective.kind == OBJECTIVE_MASKED};
    AUTOFREE Place *places =
        memory_new(corpus->train.targets, sizeof *places, "counting the floor");
    AUTOFREE size_t *end = memory_new((size_t)T + 1, sizeof *end, "counting the floor");
    AUTOFREE double *sums = memory_new((size_t)T, sizeof *sums, "counting the floor");
    double sum = 0;
    bool all = true;
    int most = 0;
    list_rows(corpus, NULL, end); /* end[i + 1] counts position i ... */
    for (int i = 0; i < T; i++)
        end[i + 1] += end[i];       /* ... so now position i begins at end[i] ... */
    list_rows(corpus, places, end); /* ... and now it ends there */
    OMP(parallel for schedule(dynamic) reduction(max : most) reduction(&& : all)
        if (corpus->train.targets > 1 << 12))
    for (int i = 0; i < T; i++) {
        const size_t begin = i ? end[i - 1] : 0;
        int most_here;
        bool all_here;
        sums[i] =
            entropy_of(corpus, places + begin, end[i] - begin, i, &eyes, &most_here, &all_here);
        most = max_int(most, most_here);
        all = all && all_here;
    }
    for (int i = 0; i < T; i++)
        sum += sums[i];
    *seen = all ? 0 : most;
    return sum / (double)end[T - 1];
}

/* Each thread counts some of the pieces; those of a stream are read many at once. If a few tokens
 * are frequent, one count would have to wait for the one before it: four are kept of each token. */
double floor_unigram(const Corpus *corpus, int vocabulary)
{
    const size_t V = (size_t)vocabulary;
    const Part *part = &corpus->train;
    const size_t T = (size_t)corpus->context, together = part->list ? 1 : 4096 / T + 1;
    AUTOFREE size_t *seen = memory_new(V, sizeof *seen, "counting words");
    size_t all = 0;
    double sum = 0;
    OMP(parallel if (part->targets > 1 << 16))
    {
        AUTOFREE size_t *own = memory_new(4 * V, sizeof *own, "counting words");
        AUTOFREE int *tokens = memory_new(together * T + 1, sizeof *tokens, "counting words");
        OMP(for schedule(static))
        for (size_t p = 0; p < part->count; p += together) {
            const size_t end = p + together < part->count ? p + together : part->count;
            Piece piece = corpus_piece(corpus, part, p), last = corpus_piece(corpus, part, end - 1);
            piece.length = last.from + last.length - piece.from;
            const Sequence sequence = corpus_sequence(corpus, piece, tokens);
            for (int i = 0; i < sequence.rows; i++) {
                const int target = objective_target(&corpus->objective, &sequence, i);
                if (target >= 0)
                    own[(size_t)(i % 4) * V + (size_t)target]++;
            }
        }
        OMP(critical)
        for (size_t v = 0; v < 4 * V; v++)
            seen[v % V] += own[v];
    }
    for (size_t v = 0; v < V; v++)
        all += seen[v];
    for (size_t v = 0; v < V; v++)
        if (seen[v])
            sum -= (double)seen[v] * elementary_log((double)seen[v] / (double)all);
    return sum / (double)all;
}
