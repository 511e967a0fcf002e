/* writer.c: see writer.h. */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

Writer writer_new(Gpt *gpt, int bos)
{
    const size_t T = (size_t)gpt->shape.context, V = (size_t)gpt->shape.vocabulary;
    Writer w = {
        .gpt = gpt, .bos = bos,
        .tokens = memory_new(T + 1, sizeof *w.tokens, "what is read"),
        .positions = memory_new(T, sizeof *w.positions, "what is read"),
        .logits = memory_new(V, sizeof *w.logits, "the scores of all tokens"),
    };
    for (size_t i = 0; i < T; i++)
        w.positions[i] = (int)i;
    return w;
}

void writer_free(Writer *w)
{
    free(w->tokens);
    free(w->positions);
    free(w->logits);
}

/* Reads the tokens from number `from` on; those before have been. */
static void read_from(Writer *w, int from)
{
    const int start[] = {0, w->count - from}, slot = 0;
    const Batch batch = {.rows = w->count - from, .sequences = 1, .start = start, .slots = &slot,
                         .tokens = w->tokens + from, .positions = w->positions + from};
    gpt_next(w->gpt, &batch, w->logits);
}

/* More tokens than fit: of them the last half context, at least one, behind [bos]. */
static void begin_with_last(Writer *w, const int *tokens, int count)
{
    const int T = w->gpt->shape.context, kept = T / 2 > 1 ? T / 2 : 1;
    const int first = w->bos >= 0 && kept < T ? 1 : 0;
    memmove(w->tokens + first, tokens + count - kept, sizeof *tokens * (size_t)kept);
    if (first)
        w->tokens[0] = w->bos;
    w->count = first + kept;
    w->forgot = true;
}

void writer_begin(Writer *w, const int *tokens, int count)
{
    w->forgot = false;
    if (count > w->gpt->shape.context) {
        begin_with_last(w, tokens, count);
    } else {
        memcpy(w->tokens, tokens, sizeof *tokens * (size_t)count);
        w->count = count;
    }
    read_from(w, 0);
}

void writer_add(Writer *w, int token)
{
    w->tokens[w->count++] = token;
    if (w->count <= w->gpt->shape.context) {
        read_from(w, w->count - 1);
    } else {
        begin_with_last(w, w->tokens, w->count);
        read_from(w, 0);
    }
}
