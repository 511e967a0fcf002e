/* bytes.c: characters and subwords have all bytes of their text. */
#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

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

double corpus_bytes(const Corpus *corpus, const Tokenizer *t, const Part *part)
{
    if (t->kind == TOKENIZER_WORD || corpus->objective.kind == OBJECTIVE_MASKED)
        return NAN;
    double *own = bytes_of_tokens(t), bytes = 0;
    int *tokens = memory_new((size_t)corpus->context + 1, sizeof *tokens, "counting");
    for (size_t p = 0; p < part->count; p++) {
        const Sequence sequence = corpus_sequence(corpus, corpus_piece(corpus, part, p), tokens);
        for (int i = 0; i < sequence.rows; i++) {
            const int target = objective_target(&corpus->objective, &sequence, i);
            bytes += target < 0 ? 0 : own[target];
        }
    }
    free(tokens);
    free(own);
    return bytes;
}
