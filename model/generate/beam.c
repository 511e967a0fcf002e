/* beam.c: each round scores every token after every hypothesis, ranks all of them, and reads the
 * last tokens of those that go on as one batch. Each hypothesis has a slot of the KV cache: its
 * first child takes the slot over, the others get a copy.
 *
 * With a width of 2, if "el" and "un" have the slots 0 and 1 and the best of their children are "el
 * gato" and "el perro", then "el gato" takes slot 0 over, and slot 1, which "un" leaves free,
 * becomes a copy of it for "el perro". */
#include "beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"

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

/* Frees all but the hypotheses that are its result. */
static void beam_end(Beam *beam)
{
    beam_free(beam->next, beam->rules.width);
    for (int i = beam->count; i < beam->rules.width; i++)
        free(beam->now[i].tokens);
    free(beam->scores);
    free(beam->own);
    free(beam->seen);
    free(beam->penalized);
    free(beam->best);
    free(beam->logits);
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
    *found = beam.count;
    Hypothesis *best = beam.now;
    beam_end(&beam);
    return best;
}
