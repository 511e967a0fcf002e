/* generator.c: keeps the tokens it has read, since they are needed again when the context is full,
 * and reads new ones as batches of one sequence that goes on in the KV cache. */
#include "generator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/layers/linear.h"

Generator generator_new(Gpt *gpt, KvCache cache, int slot, int bos)
{
    const size_t T = (size_t)gpt->config.context, V = (size_t)gpt->config.vocabulary;
    Generator g = {.gpt = gpt,
                   .cache = cache,
                   .slot = slot,
                   .bos = bos,
                   .tokens = memory_new(T + 1, sizeof *g.tokens, "the generator"),
                   .logits = memory_new(V, sizeof *g.logits, "the generator")};
    return g;
}

void generator_free(Generator *g)
{
    free(g->tokens);
    free(g->logits);
}

/* Reads the tokens from number `from` on; those before are in the cache. */
static void read_from(Generator *g, int from)
{
    const int start[] = {0, g->count - from};
    const Batch batch = {.rows = g->count - from,
                         .sequences = 1,
                         .start = start,
                         .tokens = g->tokens + from,
                         .prefix = from < g->prefix ? &g->prefix : NULL,
                         .cache = &g->cache,
                         .slots = &g->slot,
                         .past = &from};
    gpt_next_logits(g->gpt, &batch, g->logits);
}

int generator_keeps(const Generator *g, bool *after_bos)
{
    const int T = g->gpt->config.context, kept = max_int(T / 2, 1);
    *after_bos = g->bos >= 0 && kept < T;
    return kept;
}

/* If there are more tokens than fit into the context, takes only the last. They may be the
 * generator's own, which then move to the front. */
static void keep_last(Generator *g, const int *tokens, int count)
{
    bool after_bos;
    const int kept = generator_keeps(g, &after_bos);
    memmove(g->tokens + after_bos, tokens + count - kept, sizeof *tokens * (size_t)kept);
    if (after_bos)
        g->tokens[0] = g->bos;
    g->count = after_bos + kept;
    g->prefix = 0;
    g->forgot = true;
}

void generator_begin(Generator *g, const int *tokens, int count, int prefix)
{
    assert(!prefix || count <= g->gpt->config.context);
    g->forgot = false;
    g->prefix = prefix;
    if (count > g->gpt->config.context) {
        keep_last(g, tokens, count);
    } else {
        memcpy(g->tokens, tokens, sizeof *tokens * (size_t)count);
        g->count = count;
    }
    read_from(g, 0);
}

void generator_look_at(const Generator *g, const int *places, int count, Real *logits)
{
    const int C = g->gpt->config.width;
    Real *rows = memory_new((size_t)count * (size_t)C, sizeof *rows, "the gaps");
    for (int i = 0; i < count; i++) {
        assert(!g->forgot && places[i] < g->count);
        memcpy(ROW(rows, i, C), ROW(gpt_head_input(g->gpt), places[i], C),
               sizeof *rows * (size_t)C);
    }
    logits_forward(logits, g->gpt->weights.head, rows, count);
    free(rows);
}

void generator_add(Generator *g, int token)
{
    g->tokens[g->count++] = token;
    if (g->count <= g->gpt->config.context) {
        read_from(g, g->count - 1);
    } else {
        keep_last(g, g->tokens, g->count);
        read_from(g, 0);
    }
}

void generator_copy(Generator *to, const Generator *from)
{
    const size_t V = (size_t)from->gpt->config.vocabulary;
    kv_cache_copy(&to->cache, to->slot, from->slot, from->count);
    memcpy(to->tokens, from->tokens, sizeof *to->tokens * (size_t)from->count);
    memcpy(to->logits, from->logits, sizeof *to->logits * V);
    to->count = from->count;
    to->prefix = from->prefix;
    to->forgot = from->forgot;
}
