/* writer.c: see writer.h. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

Generator generator_new(Gpt *gpt, int slot, int bos)
{
    const size_t T = (size_t)gpt->shape.context, V = (size_t)gpt->shape.vocabulary;
    Generator w = {.gpt = gpt,
                   .slot = slot,
                   .bos = bos,
                   .tokens = memory_new(T + 1, sizeof *w.tokens, "what is read"),
                   .positions = memory_new(T, sizeof *w.positions, "what is read"),
                   .logits = memory_new(V, sizeof *w.logits, "the scores of all tokens")};
    for (size_t i = 0; i < T; i++)
        w.positions[i] = (int)i;
    return w;
}

void generator_free(Generator *w)
{
    free(w->tokens);
    free(w->positions);
    free(w->logits);
}

/* Reads the tokens from number `from` on; those before have been. */
static void read_from(Generator *w, int from)
{
    const int start[] = {0, w->count - from};
    const Batch batch = {.rows = w->count - from,
                         .sequences = 1,
                         .start = start,
                         .slots = &w->slot,
                         .tokens = w->tokens + from,
                         .positions = w->positions + from};
    gpt_next_logits(w->gpt, &batch, w->logits);
}

int generator_keeps(const Generator *w, bool *behind_bos)
{
    const int T = w->gpt->shape.context, kept = T / 2 > 1 ? T / 2 : 1;
    *behind_bos = w->bos >= 0 && kept < T;
    return kept;
}

/* More tokens than fit: the last of them alone. */
static void begin_with_last(Generator *w, const int *tokens, int count)
{
    bool behind_bos;
    const int kept = generator_keeps(w, &behind_bos);
    memmove(w->tokens + behind_bos, tokens + count - kept, sizeof *tokens * (size_t)kept);
    if (behind_bos)
        w->tokens[0] = w->bos;
    w->count = behind_bos + kept;
    w->forgot = true;
}

void generator_begin(Generator *w, const int *tokens, int count)
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

void generator_add(Generator *w, int token)
{
    w->tokens[w->count++] = token;
    if (w->count <= w->gpt->shape.context) {
        read_from(w, w->count - 1);
    } else {
        begin_with_last(w, w->tokens, w->count);
        read_from(w, 0);
    }
}

void generator_copy(Generator *to, const Generator *from)
{
    const size_t V = (size_t)from->gpt->shape.vocabulary;
    gpt_copy_slot(to->gpt, to->slot, from->slot, from->count);
    memcpy(to->tokens, from->tokens, sizeof *to->tokens * (size_t)from->count);
    memcpy(to->logits, from->logits, sizeof *to->logits * V);
    to->count = from->count;
    to->forgot = from->forgot;
}
