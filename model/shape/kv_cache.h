/* kv_cache.h: the KV cache: keys and values of the tokens that a model has read, so that reading
 * one token more costs one row.
 *
 * It has slots, one for each sequence that is read at the same time; a slot has room for a sequence
 * of the whole context. A Batch that names a cache, and for each of its sequences a slot and
 * how much was read there, goes on from there. */
#ifndef PULGA_KV_CACHE_H
#define PULGA_KV_CACHE_H

#include "base/base.h"
#include "gpt_config.h"

typedef struct KvCache {
    Real *at;    /* (L, slots, T, 2·H·D): keys of all heads, then values, of each position */
    int *tokens; /* (slots, T) what was read there */
    int layers, slots, context, width; /* width is 2·H·D */
} KvCache;

/* Slots in which nothing has been read. kv_cache_free() frees it. */
KvCache kv_cache_new(const GptConfig *config, int slots);
void kv_cache_free(KvCache *cache);

/* A layer's keys and values in a slot: (T, 2·H·D). */
Real *kv_cache_slot(const KvCache *cache, int layer, int slot);

/* What was read in a slot: (T). */
int *kv_cache_tokens(const KvCache *cache, int slot);

/* The first `rows` tokens read in slot `from` become those of slot `to`. */
void kv_cache_copy(const KvCache *cache, int to, int from, int rows);

#endif
