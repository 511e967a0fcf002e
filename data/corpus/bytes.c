/* bytes.c: characters and subwords have all bytes of their text. Words lack the white space, so the
 * corpus has the size of each line of theirs. */
#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/parallel/threads.h"

double bits_per_byte(double loss, double bytes)
{
    return loss / (bytes * M_LN2);
}

/* For each id, the bytes that the token has itself. [bos] stands for nothing. */
static double *bytes_of_tokens(const Tokenizer *t)
{
    const int V = tokenizer_size(t);
    double *own = memory_new((size_t)V, sizeof *own, "the vocabulary");
    for (int id = 0; id < V; id++)
        own[id] = id == t->unk ? (double)NAN : (double)strlen(tokenizer_word(t, id));
    if (t->bos >= 0)
        own[t->bos] = 0;
    if (t->sep >= 0)
        own[t->sep] = 0;
    if (t->eos >= 0)
        own[t->eos] = 1;
    return own;
}

/* The white space of the tokens [begin, end), which have `bytes` in all, for each of their
 * `targets`. */
static double white_space(const Corpus *corpus, const double *own, size_t begin, size_t end,
                          double bytes, size_t targets)
{
    double sum = 0; /* of whole numbers: it is exact in any order */
    OMP(parallel for reduction(+ : sum) if (end - begin > 1 << 16))
    for (size_t i = begin; i < end; i++)
        sum += own[ids_at(&corpus->ids, i)];
    return (bytes - sum) / (double)targets;
}

/* The same of all pairs, of whose targets it is. */
static double white_space_of_pairs(const Corpus *corpus, const double *own)
{
    const Objective *o = &corpus->objective;
    double sum = 0;
    size_t targets = 0;
    bool in_target = false;
    for (size_t i = 0; i < corpus->ids.count; i++) {
        const int id = ids_at(&corpus->ids, i);
        targets += in_target;
        sum += in_target ? own[id] : 0;
        in_target = id == o->sep || (in_target && id != o->eos);
    }
    return (corpus->text_bytes - sum) / (double)targets;
}

/* A walk through the lines of a text, in the order of the pieces. */
typedef struct {
    size_t line, begin, end;
    double white; /* the line's, for each target */
} Walk;

/* Goes to the line of a token, or stays there. */
static void go_to(Walk *walk, const Corpus *corpus, const double *own, size_t token)
{
    if (token < walk->end)
        return;
    for (; token >= walk->end; walk->end = corpus_line_end(corpus, walk->begin)) {
        walk->line += walk->end > 0;
        walk->begin = walk->end;
    }
    size_t begin = walk->begin; /* of the target, if it is a pair */
    if (corpus->objective.kind == OBJECTIVE_PAIRS)
        while (ids_at(&corpus->ids, begin) != corpus->objective.sep)
            begin++;
    walk->white = white_space(corpus, own, begin, walk->end, (double)corpus->line_bytes[walk->line],
                              walk->end - begin - 1);
}

double corpus_bytes(const Corpus *corpus, const Tokenizer *t, const Part *part)
{
    const size_t all = corpus->ids.count;
    const ObjectiveKind kind = corpus->objective.kind;
    const bool shares_out = tokenizer_has_words(t) && !corpus->line_bytes; /* over the whole text */
    if (kind == OBJECTIVE_MASKED)
        return NAN;
    double *own = bytes_of_tokens(t), bytes = 0;
    int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting");
    Walk walk = {0};
    if (shares_out && kind == OBJECTIVE_PAIRS)
        walk.white = white_space_of_pairs(corpus, own);
    else if (shares_out)
        walk.white = white_space(corpus, own, 0, all, corpus->text_bytes,
                                 corpus->stream ? all - 1 : all - corpus->lines);
    for (size_t p = 0; p < part->count; p++) {
        const Piece piece = corpus_piece(corpus, part, p);
        if (corpus->line_bytes)
            go_to(&walk, corpus, own, piece.from);
        const Sequence sequence = corpus_sequence(corpus, piece, tokens);
        for (int i = 0; i < sequence.rows; i++) {
            const int target = objective_target(&corpus->objective, &sequence, i);
            bytes += target < 0 ? 0 : own[target] + walk.white;
        }
    }
    free(tokens);
    free(own);
    return bytes;
}
