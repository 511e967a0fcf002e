/* counting.c: a sequence is a line, or all of a part of a stream, however the model reads them. */
#include "counting.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/numbers/elementary.h"

/* Adds a piece: the beginning of a sequence, or what goes on where the last piece ended. */
static void add_piece(Ngrams *all, const Corpus *corpus, Piece piece, bool goes_on, uint8_t purpose,
                      int *room)
{
    const Sequence sequence = corpus_sequence(corpus, piece, room);
    const size_t from = goes_on ? all->count - 1 : all->count; /* pieces share a token */
    const int before = goes_on ? all->before[from] : 0;
    for (int i = 0; i <= sequence.rows; i++) {
        const bool counts = i > 0 && objective_target(&corpus->objective, &sequence, i - 1) >= 0;
        all->tokens[from + (size_t)i] = sequence.tokens[i];
        all->before[from + (size_t)i] = before + i;
        if (i || !goes_on)
            all->purpose[from + (size_t)i] = counts ? purpose : 0;
    }
    all->count = from + (size_t)sequence.rows + 1;
}

/* The first of the last pieces of a part that have no more tokens than that. */
static size_t first_of_the_last(const Corpus *corpus, const Part *part, size_t most)
{
    size_t p = part->count, tokens = 0;
    while (p > 0) {
        tokens += (size_t)corpus_piece(corpus, part, p - 1).length + 1;
        if (tokens > most)
            break;
        p--;
    }
    return p;
}

/* Adds what stands before a piece of a stream if the piece before it was not drawn: tokens that are
 * only read, as many as the longest history has. Returns whether there are any. */
static bool add_before(Ngrams *all, const Corpus *corpus, const Part *part, Piece piece, int *room)
{
    const size_t there = piece.from - part->begin;
    const size_t before = there < KNESER_NEY_MOST - 1 ? there : KNESER_NEY_MOST - 1;
    if (!corpus->stream || !part->sample || !before)
        return false;
    add_piece(all, corpus, (Piece){piece.from - before, before}, false, 0, room);
    return true;
}

/* Adds the pieces of a part from this one on. */
static void add_part(Ngrams *all, const Corpus *corpus, const Part *part, size_t first,
                     uint8_t purpose, int *room)
{
    size_t end = 0;
    for (size_t p = first; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        const bool goes_on =
            (p > first && piece.from == end) || add_before(all, corpus, part, piece, room);
        add_piece(all, corpus, piece, goes_on, purpose, room);
        end = piece.from + piece.length;
    }
}

/* Lets a tenth be predicted and not counted: every tenth sequence, or the end of a stream. */
static void hold_back(Ngrams *all, bool stream)
{
    int sequence = 0;
    for (size_t i = 0; i < all->count; i++) {
        sequence += !all->before[i];
        if (all->purpose[i] && (stream ? i >= all->count - all->count / 10 : sequence % 10 == 0))
            all->purpose[i] = NGRAM_PREDICTED;
    }
}

static void count_all(Ngrams *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->purpose[i])
            all->purpose[i] = NGRAM_COUNTED;
}

/* All of a part to count, but of a large one only the end, with room for `more` tokens. Returns
 * which piece was the first. */
static size_t count_part(Ngrams *all, const Corpus *corpus, const Part *part, size_t more,
                         int *room)
{
    const size_t most = (size_t)COUNTING_MOST + more;
    const size_t first = first_of_the_last(corpus, part, COUNTING_MOST);
    *all = (Ngrams){.tokens = memory_new(most, sizeof *all->tokens, "counting"),
                    .before = memory_new(most, sizeof *all->before, "counting"),
                    .purpose = memory_new(most, sizeof *all->purpose, "counting"),
                    .vocabulary = corpus->vocabulary};
    add_part(all, corpus, part, first, NGRAM_COUNTED, room);
    return first;
}

/* A piece, or the longest history, and the token after it. */
static int *room_for_piece(const Corpus *corpus)
{
    const size_t count = (size_t)max_int(corpus->context, KNESER_NEY_MOST) + 1;
    return memory_new(count, sizeof(int), "counting");
}

static void ngrams_free(Ngrams *all)
{
    free(all->tokens);
    free(all->before);
    free(all->purpose);
}

Counting counting_of(const Corpus *corpus)
{
    Counting found = {.loss = (double)NAN, .order = 1, .share = (double)NAN, .mixed = (double)NAN};
    if (!corpus->held_out.count || corpus->objective.kind == OBJECTIVE_MASKED)
        return found;
    const Part *evaluated = &corpus->evaluated;
    const size_t more = evaluated->rows + evaluated->count * KNESER_NEY_MOST;
    int *room = room_for_piece(corpus);
    double losses[KNESER_NEY_MOST + 1];
    Ngrams all;
    found.some = count_part(&all, corpus, &corpus->train, more, room) > 0;
    hold_back(&all, corpus->stream);
    kneser_ney_losses(&all, KNESER_NEY_MOST, losses);
    for (int k = 2; k <= KNESER_NEY_MOST; k++)
        if (losses[k] < losses[found.order])
            found.order = k;

    count_all(&all);
    add_part(&all, corpus, evaluated, 0, NGRAM_PREDICTED, room);
    kneser_ney_losses(&all, found.order, losses);
    found.loss = losses[found.order];
    free(room);
    ngrams_free(&all);
    return found;
}

/* ---- With the model ---- */

CountMixture count_mixture_new(const Corpus *corpus, int order, double share)
{
    int *room = room_for_piece(corpus);
    Ngrams all;
    count_part(&all, corpus, &corpus->train, 0, room);
    CountMixture mixture = {kneser_ney_new(&all, order), corpus->vocabulary, order, share};
    free(room);
    ngrams_free(&all);
    return mixture;
}

void count_mixture_free(CountMixture *mixture)
{
    if (mixture->counts)
        kneser_ney_free(mixture->counts);
}

static void mix(const void *of, const int *history, int count, Real *logits)
{
    const CountMixture *m = of;
    if (m->share == 0)
        return;
    double *p = memory_take((size_t)m->vocabulary * sizeof *p);
    kneser_ney_predict(m->counts, history, count, p);
    for (int w = 0; w < m->vocabulary; w++)
        logits[w] = (Real)((1 - m->share) * (double)logits[w] + m->share * elementary_log(p[w]));
    free(p);
}

Mixture count_mixture_of(const CountMixture *mixture)
{
    return (Mixture){mix, mixture};
}
