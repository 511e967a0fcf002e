/* counting.c: a sequence is a line, or all of a part of a stream, however the model reads them. */
#include "counting.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "kneser_ney.h"

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

/* Adds the pieces of a part from this one on. */
static void add_part(Ngrams *all, const Corpus *corpus, const Part *part, size_t first,
                     uint8_t purpose, int *room)
{
    size_t end = 0;
    for (size_t p = first; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        add_piece(all, corpus, piece, p > first && piece.from == end, purpose, room);
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

Counting counting_of(const Corpus *corpus)
{
    Counting found = {.loss = (double)NAN, .order = 1};
    if (!corpus->held_out.count || corpus->objective.kind == OBJECTIVE_MASKED)
        return found;
    const Part *evaluated = &corpus->evaluated;
    const size_t most = (size_t)COUNTING_MOST + evaluated->rows + evaluated->count;
    const size_t first = first_of_the_last(corpus, &corpus->train, COUNTING_MOST);
    int *room = memory_new((size_t)corpus->context + 1, sizeof *room, "counting");
    double losses[KNESER_NEY_MOST + 1];
    Ngrams all = {.tokens = memory_new(most, sizeof *all.tokens, "counting"),
                  .before = memory_new(most, sizeof *all.before, "counting"),
                  .purpose = memory_new(most, sizeof *all.purpose, "counting"),
                  .vocabulary = corpus->vocabulary};

    add_part(&all, corpus, &corpus->train, first, NGRAM_COUNTED, room);
    hold_back(&all, corpus->stream);
    kneser_ney_losses(&all, KNESER_NEY_MOST, losses);
    for (int k = 2; k <= KNESER_NEY_MOST; k++)
        if (losses[k] < losses[found.order])
            found.order = k;

    count_all(&all);
    add_part(&all, corpus, evaluated, 0, NGRAM_PREDICTED, room);
    kneser_ney_losses(&all, found.order, losses);
    found.loss = losses[found.order];
    found.some = first > 0;
    free(room);
    free(all.tokens);
    free(all.before);
    free(all.purpose);
    return found;
}
