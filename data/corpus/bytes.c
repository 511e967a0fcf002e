/* bytes.c: characters and subwords have all bytes of their text. Words lack the white space, so the
 * corpus has the size of each line of theirs. */
#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stb/stb_ds.h>

#include "base/base.h"

double bits_per_byte(double loss, double bytes)
{
    return loss / (bytes * log(2));
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
    if (t->eos >= 0)
        own[t->eos] = 1;
    return own;
}

/* The line that a token belongs to; a stream is one line. */
static size_t line_of(const Corpus *corpus, size_t token)
{
    size_t low = 0, high = corpus->stream ? 1 : arrlenu(corpus->lines) - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(corpus->lines[middle] <= token ? &low : &high) = middle;
    }
    return low;
}

/* The white space of a line, for each of its targets. */
static double white_space(const Corpus *corpus, const double *own, size_t line)
{
    const size_t begin = corpus->stream ? 0 : corpus->lines[line];
    const size_t end = corpus->stream ? arrlenu(corpus->tokens) : corpus->lines[line + 1];
    double bytes = (double)corpus->line_bytes[line];
    for (size_t i = begin; i < end; i++)
        bytes -= own[corpus->tokens[i]];
    return bytes / (double)(end - begin - 1);
}

double corpus_bytes(const Corpus *corpus, const Tokenizer *t, const Piece *pieces, size_t count)
{
    double *own = bytes_of_tokens(t), bytes = 0, white = 0; /* white: of the line `latest` */
    size_t latest = SIZE_MAX;
    for (size_t p = 0; p < count; p++) {
        if (corpus->line_bytes) {
            const size_t line = line_of(corpus, pieces[p].from);
            white = line == latest ? white : white_space(corpus, own, line);
            latest = line;
        }
        for (int i = 0; i < pieces[p].length; i++) {
            const int target =
                objective_row(corpus->objective, corpus->tokens + pieces[p].from, i).target;
            bytes += target < 0 ? 0 : own[target] + white;
        }
    }
    free(own);
    return bytes;
}
