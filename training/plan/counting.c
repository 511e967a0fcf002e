/* counting.c: a sequence is a line, or all of a part of a stream, however the model reads them. */
#include "counting.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "kneser_ney.h"

/* What Ngrams points to. */
typedef struct {
    int *tokens, *before;
    uint8_t *purpose;
    size_t count;
} Collection;

static Collection collection_new(size_t most)
{
    return (Collection){memory_new(most, sizeof(int), "counting"),
                        memory_new(most, sizeof(int), "counting"), memory_new(most, 1, "counting"),
                        0};
}

static void collection_free(Collection *all)
{
    free(all->tokens);
    free(all->before);
    free(all->purpose);
}

/* Adds a piece: the beginning of a sequence, or what goes on where the last piece ended. */
static void add_piece(Collection *all, const Corpus *corpus, Piece piece, bool goes_on,
                      uint8_t purpose, int *room)
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
static void add_part(Collection *all, const Corpus *corpus, const Part *part, size_t first,
                     uint8_t purpose, int *room)
{
    size_t end = 0;
    for (size_t p = first; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        add_piece(all, corpus, piece, p > first && piece.from == end, purpose, room);
        end = piece.from + piece.length;
    }
}

/* Lets a tenth be predicted and not counted: every tenth sequence, or the last tenth of a stream. */
static void hold_back(Collection *all, bool stream)
{
    int sequence = 0;
    for (size_t i = 0; i < all->count; i++) {
        sequence += !all->before[i];
        if (all->purpose[i] && (stream ? i >= all->count - all->count / 10 : sequence % 10 == 0))
            all->purpose[i] = NGRAM_PREDICTED;
    }
}

Counting counting_of(const Corpus *corpus)
{
    Counting found = {.loss = (double)NAN, .order = 1};
    if (!corpus->held_out.count || corpus->objective.kind == OBJECTIVE_MASKED)
        return found;
    const Part *train = &corpus->train, *evaluated = &corpus->evaluated;
    Collection all = collection_new((size_t)COUNTING_MOST + evaluated->rows + evaluated->count);
    int *room = memory_new((size_t)corpus->context + 1, sizeof *room, "counting");
    const size_t first = first_of_the_last(corpus, train, COUNTING_MOST);
    double losses[KNESER_NEY_MOST + 1];

    add_part(&all, corpus, train, first, NGRAM_COUNTED, room);
    hold_back(&all, corpus->stream);
    Ngrams text = {all.tokens, all.before, all.purpose, all.count, corpus->vocabulary};
    kneser_ney_losses(&text, KNESER_NEY_MOST, losses);
    for (int k = 2; k <= KNESER_NEY_MOST; k++)
        if (losses[k] < losses[found.order])
            found.order = k;

    all.count = 0;
    add_part(&all, corpus, train, first, NGRAM_COUNTED, room);
    add_part(&all, corpus, evaluated, 0, NGRAM_PREDICTED, room);
    text.count = all.count;
    kneser_ney_losses(&text, found.order, losses);
    found.loss = losses[found.order];
    found.some = first > 0;
    free(room);
    collection_free(&all);
    return found;
}
