/* beam.c: see beam.h. */
#include "beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampler.h"

/* The best so far and room to find the next in. */
typedef struct {
    Gpt *gpt;
    BeamRules rules;
    int read;               /* tokens of the prompt, which lies in every slot */
    Hypothesis *now, *next; /* (width) */
    int count;
    double *scores; /* (width, V) ln p of each hypothesis and each token behind it */
    Ranked *best;   /* (width) */
    Real *logits;   /* (width, V) of the hypotheses that go on, in their order */
    int *start, *tokens, *positions, *slots; /* (width + 1) (width) … of their batch */
} Beam;

/* It begins with the empty continuation, of which slot 0 remembers the prompt. */
static Beam beam_new(Gpt *gpt, const Real *logits, int read, BeamRules rules)
{
    const size_t K = (size_t)rules.width, V = (size_t)gpt->shape.vocabulary;
    static const char what[] = "the beam";
    Beam beam = {.gpt = gpt,
                 .rules = rules,
                 .read = read,
                 .count = 1,
                 .now = memory_new(K, sizeof *beam.now, what),
                 .next = memory_new(K, sizeof *beam.next, what),
                 .scores = memory_new(K * V, sizeof *beam.scores, what),
                 .best = memory_new(K, sizeof *beam.best, what),
                 .logits = memory_new(K * V, sizeof *beam.logits, what),
                 .start = memory_new(K + 1, sizeof *beam.start, what),
                 .tokens = memory_new(K, sizeof *beam.tokens, what),
                 .positions = memory_new(K, sizeof *beam.positions, what),
                 .slots = memory_new(K, sizeof *beam.slots, what)};
    for (int i = 0; i < rules.width; i++) {
        beam.now[i].tokens = memory_new((size_t)rules.most, sizeof *beam.tokens, what);
        beam.next[i].tokens = memory_new((size_t)rules.most, sizeof *beam.tokens, what);
        beam.start[i + 1] = i + 1;
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
    free(beam->best);
    free(beam->logits);
    free(beam->start);
    free(beam->tokens);
    free(beam->positions);
    free(beam->slots);
}

void beam_free(Hypothesis *found, int count)
{
    for (int i = 0; i < count; i++)
        free(found[i].tokens);
    free(found);
}

/* Row i of the scores: what each token would make of hypothesis i. One that has ended stays what
 * it is, in the place of its first token. */
static void score(Beam *beam)
{
    const int V = beam->gpt->shape.vocabulary;
    const Real *logits = beam->logits;
    for (int i = 0; i < beam->count; i++) {
        double *row = ROW(beam->scores, i, V);
        const Hypothesis *h = &beam->now[i];
        if (h->ended) {
            for (int j = 0; j < V; j++)
                row[j] = j ? -INFINITY : h->log_probability;
            continue;
        }
        log_softmax_of(row, logits, V);
        for (int j = 0; j < V; j++)
            row[j] = beam->rules.barred && beam->rules.barred[j] ? -INFINITY
                                                                 : row[j] + h->log_probability;
        logits += V;
    }
}

/* The best of what the scores hold become the next hypotheses. The first child of each that goes on
 * does so in its parent's slot; taken (width) notes it. */
static void choose(Beam *beam, bool *taken)
{
    const int V = beam->gpt->shape.vocabulary;
    int count = rank_best(beam->best, beam->rules.width, beam->scores, beam->count * V);
    while (count > 0 && isinf(beam->best[count - 1].value))
        count--;
    for (int i = 0; i < count; i++) {
        const Hypothesis *parent = &beam->now[beam->best[i].id / V];
        Hypothesis *h = &beam->next[i];
        int *tokens = memcpy(h->tokens, parent->tokens, sizeof *tokens * (size_t)parent->count);
        *h = *parent;
        h->tokens = tokens;
        h->log_probability = beam->best[i].value;
        if (!parent->ended)
            tokens[h->count++] = beam->best[i].id % V;
        h->ended = parent->ended || tokens[h->count - 1] == beam->rules.eos;
        if (h->ended || taken[parent->slot])
            h->slot = -1;
        else
            taken[h->slot] = true;
    }
    beam->count = count;
}

/* One token more, behind `read` tokens that every slot has read. The other children of a hypothesis
 * get copies of its slot, in slots where nobody goes on. */
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
        gpt_copy_slot(beam->gpt, h->slot,
                      beam->now[beam->best[i].id / beam->gpt->shape.vocabulary].slot, read);
    }
    free(taken);
    Hypothesis *const now = beam->now;
    beam->now = beam->next;
    beam->next = now;
}

/* Reads the last token of all hypotheses that go on, as many at once as the model has rows;
 * returns how many they are. */
static int read_on(Beam *beam)
{
    int rows = 0;
    for (int i = 0; i < beam->count; i++) {
        const Hypothesis *h = &beam->now[i];
        if (h->ended)
            continue;
        beam->tokens[rows] = h->tokens[h->count - 1];
        beam->positions[rows] = beam->read + h->count - 1;
        beam->slots[rows++] = h->slot;
    }
    for (int from = 0, count; from < rows; from += count) {
        count = rows - from < beam->gpt->rows ? rows - from : beam->gpt->rows;
        const Batch batch = {.rows = count,
                             .sequences = count,
                             .start = beam->start,
                             .tokens = beam->tokens + from,
                             .slots = beam->slots + from,
                             .positions = beam->positions + from};
        gpt_next_logits(beam->gpt, &batch, ROW(beam->logits, from, beam->gpt->shape.vocabulary));
    }
    return rows;
}

Hypothesis *beam_search(Gpt *gpt, const Real *logits, int read, BeamRules rules, int *found)
{
    Beam beam = beam_new(gpt, logits, read, rules);
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
