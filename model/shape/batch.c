/* batch.c: one block for all layers and slots. Memory of positions that are never read is never
 * touched, so a long context costs nothing until it is used. */
#include "batch.h"

KvCache kv_cache_new(const GptConfig *config, int slots)
{
    KvCache cache = {.layers = config->layers,
                     .slots = slots,
                     .context = config->context,
                     .width = 2 * config->key_heads * config->head_size};
    Arena count = {0};
    arena_take(&count, (size_t)cache.layers * (size_t)slots,
               (size_t)cache.context * (size_t)cache.width);
    cache.at = memory_new(count.used, sizeof(Real), "the KV cache");
    cache.tokens = memory_new((size_t)slots * (size_t)cache.context, sizeof(int), "the KV cache");
    return cache;
}

void kv_cache_free(KvCache *cache)
{
    free(cache->at);
    free(cache->tokens);
}

Real *kv_cache_slot(const KvCache *cache, int layer, int slot)
{
    const size_t number = (size_t)layer * (size_t)cache->slots + (size_t)slot;
    return ROW(cache->at, number * (size_t)cache->context, cache->width);
}

int *kv_cache_tokens(const KvCache *cache, int slot)
{
    return ROW(cache->tokens, slot, cache->context);
}

void kv_cache_copy(const KvCache *cache, int to, int from, int rows)
{
    for (int l = 0; l < cache->layers; l++)
        memcpy(kv_cache_slot(cache, l, to), kv_cache_slot(cache, l, from),
               sizeof(Real) * (size_t)rows * (size_t)cache->width);
    memcpy(kv_cache_tokens(cache, to), kv_cache_tokens(cache, from), sizeof(int) * (size_t)rows);
}
