/* generator.c: keeps the tokens it has read, since they are needed again when the context is full,
 * and reads new ones as batches of one sequence that goes on in the KV cache. */
#include "generator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/numbers/elementary.h"
#include "model/layers/linear.h"

/* A heap finds the largest of many values without sorting all of them; probabilities are
 * computed in double, so that sums over a large vocabulary stay exact enough to draw from. */

/* ---- The largest of many ---- */

/* Whether a comes after b. No two entries are equal, since their ids differ. */
static inline bool is_less(const Ranked *a, const Ranked *b)
{
    return a->value < b->value || (a->value == b->value && a->id > b->id);
}

static int largest_first(const void *a, const void *b)
{
    return is_less(a, b) ? 1 : -1;
}

HEAP(Ranked, is_less) /* with the smallest on top */

int rank_best(Ranked *best, int k, const double *values, int count)
{
    /* The heap holds the k largest so far. A value that is larger than the smallest of them, which
     * is on top, takes its place. */
    k = min_int(k, count);
    for (int i = 0; i < k; i++)
        best[i] = (Ranked){values[i], i};
    for (int i = k / 2 - 1; i >= 0; i--)
        heap_sink(best, (size_t)k, (size_t)i);
    for (int i = k; k > 0 && i < count; i++) {
        const Ranked entry = {values[i], i};
        if (is_less(&best[0], &entry)) {
            best[0] = entry;
            heap_sink(best, (size_t)k, 0);
        }
    }
    qsort(best, (size_t)k, sizeof *best, largest_first);
    return k;
}

/* ---- Probabilities ---- */

/* The largest of V logits. It is subtracted before exp(), so that nothing overflows. */
static double largest(const Real *logits, int V)
{
    Real top = logits[0]; /* not double, not fmax: GCC 12 for aarch64 miscompiles those */
    for (int j = 1; j < V; j++)
        top = logits[j] > top ? logits[j] : top;
    return (double)top;
}

void softmax_of(double *p, const Real *logits, int V, double temperature)
{
    const double top = largest(logits, V);
    double sum = 0;
    for (int j = 0; j < V; j++) /* in vectors, as the sum cannot be */
        p[j] = elementary_exp(((double)logits[j] - top) / temperature);
    for (int j = 0; j < V; j++)
        sum += p[j];
    for (int j = 0; j < V; j++)
        p[j] /= sum;
}

void log_softmax_of(double *log_p, const Real *logits, int V)
{
    const double top = largest(logits, V);
    double sum = 0;
    for (int j = 0; j < V; j++)
        log_p[j] = elementary_exp((double)logits[j] - top);
    for (int j = 0; j < V; j++)
        sum += log_p[j];
    const double log_sum = elementary_log(sum);
    for (int j = 0; j < V; j++)
        log_p[j] = (double)logits[j] - top - log_sum;
}

void penalize_repetition(Real *logits, const bool *seen, int V, double penalty)
{
    for (int j = 0; j < V; j++) {
        const double logit = (double)logits[j];
        if (seen[j])
            logits[j] = (Real)(logit > 0 ? logit / penalty : logit * penalty);
    }
}

/* Keeps in p (V) only the first `count` ranked tokens, scaled to a sum of 1. */
static void keep_ranked(double *p, int V, const Ranked *ranked, int count)
{
    double sum = 0;
    memset(p, 0, sizeof *p * (size_t)V);
    for (int i = 0; i < count; i++)
        sum += ranked[i].value;
    for (int i = 0; i < count; i++)
        p[ranked[i].id] = ranked[i].value / sum;
}

static void swap(Ranked *a, Ranked *b)
{
    const Ranked kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves the fewest entries that together reach p, the largest ones and at least one, to the front,
 * in any order; returns how many they are. No sorting: those above a pivot are kept if p needs them
 * all, else only they are looked at further, so that on average each entry is seen twice. */
static int move_nucleus(Ranked *entries, int count, double p)
{
    int kept = 0, end = count; /* entries[kept … end - 1] are undecided */
    double sum = 0;            /* of those kept */
    while (kept < end && (!kept || sum < p)) {
        swap(&entries[kept], &entries[kept + (end - kept) / 2]);
        const Ranked pivot = entries[kept];
        int middle = kept + 1; /* entries[kept + 1 … middle - 1] are above the pivot */
        double above = 0;
        for (int i = middle; i < end; i++)
            if (is_less(&pivot, &entries[i])) {
                above += entries[i].value;
                swap(&entries[i], &entries[middle++]);
            }
        if (middle > kept + 1 && sum + above >= p) {
            end = middle - 1;
            swap(&entries[kept], &entries[end]);
        } else {
            sum += above + pivot.value;
            kept = middle;
        }
    }
    return kept;
}

void sampler_probabilities(double *p, Ranked *ranked, const Real *logits, int V, Sampling how)
{
    if (how.temperature == 0) /* the most probable token is the same at any temperature */
        how = (Sampling){.temperature = 1, .top_p = 1, .top_k = 1};
    softmax_of(p, logits, V, how.temperature);
    if (how.top_k > 0 && how.top_k < V)
        keep_ranked(p, V, ranked, rank_best(ranked, how.top_k, p, V));
    if (how.top_p >= 1)
        return;
    /* Tokens below (1 − p)/V have less than 1 − p together, so the others reach p without them and
     * only those are looked at. Rounding may put all a little below 1/V. */
    const double least = (1 - how.top_p) / V * (1 - 1e-9);
    int likely = 0;
    for (int j = 0; j < V; j++)
        if (p[j] >= least)
            ranked[likely++] = (Ranked){p[j], j};
    keep_ranked(p, V, ranked, move_nucleus(ranked, likely, how.top_p));
}

int sampler_pick(const double *p, int V, double uniform)
{
    double sum = 0;
    int last = 0; /* rounding may leave the sum of all a little below 1 */
    for (int j = 0; j < V; j++) {
        sum += p[j];
        if (p[j] > 0)
            last = j;
        if (uniform < sum)
            return j;
    }
    return last;
}

Generator generator_new(Gpt *gpt, KvCache cache, int slot, int bos)
{
    const size_t T = (size_t)gpt->config.context, V = (size_t)gpt->config.vocabulary;
    Generator g = {.gpt = gpt,
                   .cache = cache,
                   .slot = slot,
                   .bos = bos,
                   .tokens = memory_new(T + 1, sizeof *g.tokens, "the generator"),
                   .logits = memory_new(V, sizeof *g.logits, "the generator")};
    return g;
}

void generator_free(Generator *g)
{
    free(g->tokens);
    free(g->logits);
}

/* Reads the tokens from number `from` on; those before are in the cache. */
static void read_from(Generator *g, int from)
{
    const int start[] = {0, g->count - from};
    const Batch batch = {.rows = g->count - from,
                         .sequences = 1,
                         .start = start,
                         .tokens = g->tokens + from,
                         .prefix = from < g->prefix ? &g->prefix : NULL,
                         .cache = &g->cache,
                         .slots = &g->slot,
                         .past = &from};
    gpt_next_logits(g->gpt, &batch, g->logits);
}

int generator_keeps(const Generator *g, bool *after_bos)
{
    const int T = g->gpt->config.context, kept = max_int(T / 2, 1);
    *after_bos = g->bos >= 0 && kept < T;
    return kept;
}

/* If there are more tokens than fit into the context, takes only the last. They may be the
 * generator's own, which then move to the front. */
static void keep_last(Generator *g, const int *tokens, int count)
{
    bool after_bos;
    const int kept = generator_keeps(g, &after_bos);
    memmove(g->tokens + after_bos, tokens + count - kept, sizeof *tokens * (size_t)kept);
    if (after_bos)
        g->tokens[0] = g->bos;
    g->count = after_bos + kept;
    g->prefix = 0;
    g->forgot = true;
}

void generator_begin(Generator *g, const int *tokens, int count, int prefix)
{
    assert(!prefix || count <= g->gpt->config.context);
    g->forgot = false;
    g->prefix = prefix;
    if (count > g->gpt->config.context) {
        keep_last(g, tokens, count);
    } else {
        memcpy(g->tokens, tokens, sizeof *tokens * (size_t)count);
        g->count = count;
    }
    read_from(g, 0);
}

void generator_look_at(const Generator *g, const int *places, int count, Real *logits)
{
    const int C = g->gpt->config.width;
    Real *rows = memory_new((size_t)count * (size_t)C, sizeof *rows, "the gaps");
    for (int i = 0; i < count; i++) {
        assert(!g->forgot && places[i] < g->count);
        memcpy(ROW(rows, i, C), ROW(gpt_head_input(g->gpt), places[i], C),
               sizeof *rows * (size_t)C);
    }
    logits_forward(logits, g->gpt->weights.head, rows, count);
    free(rows);
}

void generator_add(Generator *g, int token)
{
    g->tokens[g->count++] = token;
    if (g->count <= g->gpt->config.context) {
        read_from(g, g->count - 1);
    } else {
        keep_last(g, g->tokens, g->count);
        read_from(g, 0);
    }
}

void generator_copy(Generator *to, const Generator *from)
{
    const size_t V = (size_t)from->gpt->config.vocabulary;
    kv_cache_copy(&to->cache, to->slot, from->slot, from->count);
    memcpy(to->tokens, from->tokens, sizeof *to->tokens * (size_t)from->count);
    memcpy(to->logits, from->logits, sizeof *to->logits * V);
    to->count = from->count;
    to->prefix = from->prefix;
    to->forgot = from->forgot;
}
