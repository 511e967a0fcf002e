/* generator.c: keeps the tokens it has read, since they are needed again when the context is full,
 * and reads new ones as batches of one sequence that goes on in the KV cache. */
#include "generator.h"

#include <assert.h>

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

/* ---- Beam search ---- */

/* Each round scores every token after every hypothesis, ranks all of them, and reads the last
 * tokens of those that go on as one batch. Each hypothesis has a slot of the KV cache: its first
 * child takes the slot over, the others get a copy.
 *
 * With a width of 2, if "el" and "un" have the slots 0 and 1 and the best of their children are "el
 * gato" and "el perro", then "el gato" takes slot 0 over, and slot 1, which "un" leaves free,
 * becomes a copy of it for "el perro". */

/* A search. `now` and `next` change places after each round. */
typedef struct {
    Gpt *gpt;
    const KvCache *cache;
    BeamRules rules;
    int read;               /* tokens of the prompt */
    Hypothesis *now, *next; /* (width) each with room for all its tokens */
    int count;              /* of the hypotheses in `now` */
    double *scores;         /* (width, V) each hypothesis's score with each token after it */
    double *own;            /* (width, V) if repetition is penalized: ln p of each token after it
                               by the model itself; else NULL */
    bool *seen;             /* (V) likewise, scratch memory: the tokens of one hypothesis, */
    Real *penalized;        /* (V) and the logits of the token after it */
    Ranked *best;           /* (width) */
    Real *logits;           /* (width, V) of the hypotheses that go on, in their order */
} Beam;

/* Begins with the empty continuation, in slot 0. */
static Beam beam_new(Gpt *gpt, const KvCache *cache, const Real *logits, int read, BeamRules rules)
{
    const size_t K = (size_t)rules.width, V = (size_t)gpt->config.vocabulary;
    static const char what[] = "the beam";
    Beam beam = {.gpt = gpt,
                 .cache = cache,
                 .rules = rules,
                 .read = read,
                 .count = 1,
                 .now = memory_new(K, sizeof *beam.now, what),
                 .next = memory_new(K, sizeof *beam.next, what),
                 .scores = memory_new(K * V, sizeof *beam.scores, what),
                 .best = memory_new(K, sizeof *beam.best, what),
                 .logits = memory_new(K * V, sizeof *beam.logits, what)};
    for (int i = 0; i < rules.width; i++) {
        beam.now[i].tokens = memory_new((size_t)rules.most, sizeof(int), what);
        beam.next[i].tokens = memory_new((size_t)rules.most, sizeof(int), what);
    }
    if (rules.seen) {
        beam.own = memory_new(K * V, sizeof *beam.own, what);
        beam.seen = memory_new(V, sizeof *beam.seen, what);
        beam.penalized = memory_new(V, sizeof *beam.penalized, what);
    }
    memcpy(beam.logits, logits, sizeof *logits * V);
    return beam;
}

void beam_free(Hypothesis *found, int count)
{
    for (int i = 0; i < count; i++)
        free(found[i].tokens);
    free(found);
}

/* The logits, of those after a hypothesis, that its children are ranked by. */
static const Real *ranking_logits(Beam *beam, const Hypothesis *h, const Real *logits)
{
    const size_t V = (size_t)beam->gpt->config.vocabulary;
    if (!beam->rules.seen)
        return logits;
    memcpy(beam->seen, beam->rules.seen, sizeof *beam->seen * V);
    for (int i = 0; i < h->count; i++)
        beam->seen[h->tokens[i]] = true;
    memcpy(beam->penalized, logits, sizeof *logits * V);
    penalize_repetition(beam->penalized, beam->seen, (int)V, beam->rules.penalty);
    return beam->penalized;
}

/* Row i of the scores: that of hypothesis i with each token after it. One that has ended keeps its
 * score, in the first column. */
static void score(Beam *beam)
{
    const int V = beam->gpt->config.vocabulary;
    const Real *logits = beam->logits;
    for (int i = 0; i < beam->count; i++) {
        double *row = ROW(beam->scores, i, V);
        const Hypothesis *h = &beam->now[i];
        if (h->ended) {
            for (int j = 0; j < V; j++)
                row[j] = j ? -INFINITY : h->score;
            continue;
        }
        if (beam->own)
            log_softmax_of(ROW(beam->own, i, V), logits, V);
        log_softmax_of(row, ranking_logits(beam, h, logits), V);
        for (int j = 0; j < V; j++)
            row[j] = beam->rules.barred && beam->rules.barred[j] ? -INFINITY : row[j] + h->score;
        logits += V;
    }
}

/* Makes h the child of a hypothesis: with one token more, unless its parent has ended. best is its
 * score. */
static void bear(const Beam *beam, Hypothesis *h, const Hypothesis *parent, Ranked best)
{
    const BeamRules *rules = &beam->rules;
    int *tokens = memcpy(h->tokens, parent->tokens, sizeof *tokens * (size_t)parent->count);
    *h = *parent;
    h->tokens = tokens;
    if (parent->ended)
        return;
    h->score = best.value;
    h->log_probability = beam->own ? h->log_probability + beam->own[best.id] : best.value;
    tokens[h->count++] = best.id % beam->gpt->config.vocabulary;
    h->ended = tokens[h->count - 1] == rules->eos ||
               (rules->ends && rules->ends(tokens, h->count, rules->judge));
}

/* The best scores become the next hypotheses: score number i · V + j is that of hypothesis i with
 * token j. The first child of each takes over its parent's slot, unless it has ended; taken (width)
 * notes the slots. */
static void choose(Beam *beam, bool *taken)
{
    const int V = beam->gpt->config.vocabulary;
    int count = rank_best(beam->best, beam->rules.width, beam->scores, beam->count * V);
    while (count > 0 && isinf(beam->best[count - 1].value)) /* no continuation at all */
        count--;
    for (int i = 0; i < count; i++) {
        const Hypothesis *parent = &beam->now[beam->best[i].id / V];
        Hypothesis *h = &beam->next[i];
        bear(beam, h, parent, beam->best[i]);
        if (h->ended || taken[parent->slot])
            h->slot = -1;
        else
            taken[h->slot] = true;
    }
    beam->count = count;
}

/* One token more, after `read` tokens in every slot. The other children of a hypothesis get copies
 * of its slot, in slots that are free. */
static void step(Beam *beam, int read)
{
    bool *taken = memory_new((size_t)beam->rules.width, sizeof *taken, "the beam");
    choose(beam, taken);
    int slot = 0;
    for (int i = 0; i < beam->count; i++) {
        Hypothesis *h = &beam->next[i];
        if (h->ended || h->slot >= 0)
            continue;
        while (taken[slot])
            slot++;
        h->slot = slot++;
        const int parent = beam->best[i].id / beam->gpt->config.vocabulary;
        kv_cache_copy(beam->cache, h->slot, beam->now[parent].slot, read);
    }
    free(taken);
    Hypothesis *const now = beam->now;
    beam->now = beam->next;
    beam->next = now;
}

/* Reads the last token of all hypotheses that go on, as many at once as the model has rows; returns
 * how many there are. Each is a sequence of one row. */
static int read_on(Beam *beam)
{
    const int K = beam->rules.width;
    int *tokens = memory_new(4 * (size_t)K + 1, sizeof *tokens, "the beam");
    int *past = tokens + K, *slots = past + K, *start = slots + K, rows = 0;
    for (int i = 0; i < beam->count; i++) {
        const Hypothesis *h = &beam->now[i];
        if (h->ended)
            continue;
        tokens[rows] = h->tokens[h->count - 1];
        past[rows] = beam->read + h->count - 1;
        slots[rows++] = h->slot;
        start[rows] = rows;
    }
    for (int from = 0, count; from < rows; from += count) {
        count = min_int(rows - from, beam->gpt->rows);
        const Batch batch = {.rows = count,
                             .sequences = count,
                             .start = start,
                             .tokens = tokens + from,
                             .cache = beam->cache,
                             .slots = slots + from,
                             .past = past + from};
        gpt_next_logits(beam->gpt, &batch, ROW(beam->logits, from, beam->gpt->config.vocabulary));
    }
    free(tokens);
    return rows;
}

Hypothesis *beam_search(Gpt *gpt, const KvCache *cache, const Real *logits, int read,
                        BeamRules rules, int *found)
{
    Beam beam = beam_new(gpt, cache, logits, read, rules);
    for (int length = 1; length <= rules.most; length++) {
        score(&beam);
        step(&beam, read + length - 1);
        if (length == rules.most || !read_on(&beam))
            break;
    }
    beam_free(beam.next, rules.width); /* beam.now has the result */
    for (int i = beam.count; i < rules.width; i++)
        free(beam.now[i].tokens);
    free(beam.scores);
    free(beam.own);
    free(beam.seen);
    free(beam.penalized);
    free(beam.best);
    free(beam.logits);
    *found = beam.count;
    return beam.now;
}
