/* batch.h: the tokens of one step, or of a part of it. A batch is ragged: its sequences lie one
 * after another in N rows, without padding. Only the embedding and attention know where a sequence
 * begins; all other layers work on N rows. */
#ifndef PULGA_BATCH_H
#define PULGA_BATCH_H

#include "base/base.h"
#include "gpt_config.h"

struct KvCache;

/* How many tokens before a row count for what is mixed with the model: see gpt.h. */
enum { HISTORY_MOST = 7 };

typedef struct {
    int rows;                    /* N                                                            */
    int sequences;               /* S                                                            */
    const int *start;            /* (S + 1) first row of each sequence; start[S] is N            */
    const int *tokens;           /* (N) the input                                                */
    const int *targets;          /* (N) the token to predict; -1: none, the row does not count   */
    int counted;                 /* rows whose target is not -1                                  */
    const int *prefix;           /* (S) the first tokens of each sequence that see each other in
                                    both directions; NULL: none does                             */
    uint32_t first_row;          /* the batch's first row among all rows of its step: a part of
                             a step draws the dropout masks that the whole would draw     */
    const int *history;          /* (S, HISTORY_MOST) the last tokens before each sequence, -1
                                    where there are none; NULL: there are none            */
    const struct KvCache *cache; /* in which each sequence goes on, or NULL: each begins
                                    at position 0                                         */
    const int *slots;            /* (S) of the cache                                      */
    const int *past;             /* (S) how many tokens of each sequence the cache holds  */
} Batch;

/* The position of a sequence's first row. */
static inline int batch_past(const Batch *batch, int sequence)
{
    return batch->cache ? batch->past[sequence] : 0;
}

/* The KV cache: keys and values of the tokens that a model has read, so that reading
 * one token more costs one row.
 *
 * It has slots, one for each sequence that is read at the same time; a slot has room for a sequence
 * of the whole context. A Batch that names a cache, and for each of its sequences a slot and
 * how much was read there, goes on from there. */
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
